/// A request as far as a rule looks at it.
public struct SampleCall: Sendable, Hashable {
    public let method: String
    /// Below the resource's place: `/orders`.
    public let path: String

    public init(_ method: String, _ path: String) {
        self.method = method
        self.path = path
    }

    /// Request with which most samples are judged: reading orders.
    public static let readOrders = SampleCall("GET", "/orders")
    public static let placeOrder = SampleCall("POST", "/orders")
}
