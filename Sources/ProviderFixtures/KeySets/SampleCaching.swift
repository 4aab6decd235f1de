/// Caching of a key endpoint's response (RFC 9111).
public struct SampleCaching: Sendable, Hashable {
    /// The `Cache-Control` field; nil where the provider sends none, or it is not known.
    public let cacheControl: String?
    /// The `Age` field, in seconds.
    public let age: Int?
    /// Whether the answer has an entity tag and the endpoint knows 304.
    public let hasValidator: Bool

    init(_ cacheControl: String?, age: Int? = nil, hasValidator: Bool = false) {
        self.cacheControl = cacheControl
        self.age = age
        self.hasValidator = hasValidator
    }

    static let unsaid = SampleCaching(nil)
    static let microsoft = SampleCaching("max-age=86400, private")
    /// Through a cache that has had the answer for a while.
    static let google = SampleCaching("public, max-age=24873, must-revalidate, no-transform", age: 5059)
}
