/// Method and path of a request, which select a rule.
public struct SampleCall: Sendable, Hashable {
    public let method: String
    /// Path below the resource's place, such as `/orders`.
    public let path: String

    public init(_ method: String, _ path: String) {
        self.method = method
        self.path = path
    }

    /// Reading orders, the request that most samples are judged with.
    public static let readOrders = SampleCall("GET", "/orders")
    public static let placeOrder = SampleCall("POST", "/orders")
}
