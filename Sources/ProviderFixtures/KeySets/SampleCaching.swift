/// Caching headers of a key endpoint's response (RFC 9111).
public struct SampleCaching: Sendable, Hashable {
    /// Value of `Cache-Control`. Nil if the provider sends none, or if its value is not known.
    public let cacheControl: String?
    /// Value of `Age`, in seconds. Nil if the response has none.
    public let age: Int?
    /// Whether the response has an `ETag` and the endpoint answers conditional requests with 304.
    public let hasValidator: Bool

    init(_ cacheControl: String?, age: Int? = nil, hasValidator: Bool = false) {
        self.cacheControl = cacheControl
        self.age = age
        self.hasValidator = hasValidator
    }

    static let unsaid = SampleCaching(nil)
    static let microsoft = SampleCaching("max-age=86400, private")
    /// Headers of Google, from a cache that has stored the response for a while.
    static let google = SampleCaching("public, max-age=24873, must-revalidate, no-transform", age: 5059)
}
