/// CORS policy of a resource (Fetch §3.2): the permitted origins, the requests they may send, and the response fields
/// they may read.
public struct CrossOriginPolicy: Sendable, Hashable {
    public let origins: AllowedOrigins
    /// True if requests may carry cookies and client certificates. Not needed for bearer tokens.
    public let allowsCredentials: Bool
    /// Time in seconds for which a browser may cache the response to a preflight.
    public let maxAge: Int

    /// Default of `maxAge`.
    public static let usualMaxAge = Duration.seconds(600)
    /// Comma-separated names of the request fields that every page may send, in lower case.
    public let requestFields: [UInt8]
    /// True if pages may send every other field too. Then the answer to a preflight repeats the names that it asks
    /// about.
    public let allowsAnyRequestField: Bool
    /// Names of `Content-Type` and of the field that carries the token, in lower case.
    private let ownRequestFields: [String]
    /// Comma-separated names of the response fields that a page may read.
    public let exposedFields: [UInt8]

    /// Fields of a refusal that every page with a bearer token needs to read.
    private static let refusalFields = [
        "WWW-Authenticate", "Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-ID",
    ]

    /// - Parameters:
    ///   - tokenFields: the fields that may carry the token.
    ///   - requestFields: fields in addition to `tokenFields` and `content-type`.
    ///   - exposedFields: names in addition to the fields of the gateway's own responses.
    public init(
        origins: AllowedOrigins, allowsCredentials: Bool = false, maxAge: Duration = usualMaxAge,
        tokenFields: [String] = ["authorization"], requestFields: AllowedRequestFields = [],
        exposedFields: [String] = []
    ) {
        self.origins = origins
        self.allowsCredentials = allowsCredentials
        self.maxAge = Int(maxAge.components.seconds)
        allowsAnyRequestField = requestFields == .any
        ownRequestFields = tokenFields.map { $0.lowercased() } + ["content-type"]
        let listed = if case .listed(let names) = requestFields { names } else { [String]() }
        self.requestFields = Self.list(ownRequestFields, listed.map { $0.lowercased() })
        self.exposedFields = Self.list(Self.refusalFields, exposedFields)
    }

    /// True if all origins except `null` are permitted.
    public var allowsAnyOrigin: Bool { origins == .any }

    /// Comma-separated names of the request fields that the answer to a preflight permits.
    ///
    /// They are repeated rather than answered with `*`, which does not cover `Authorization` (Fetch §3.2.3).
    ///
    /// - Parameter requested: names that the preflight asks about, in lower case and each once.
    public func permittedFields(of requested: [String]) -> [UInt8] {
        allowsAnyRequestField ? Self.list(ownRequestFields, requested) : requestFields
    }

    private static func list(_ own: [String], _ configured: [String]) -> [UInt8] {
        let known = Set(own.map { $0.lowercased() })
        return Array((own + configured.filter { !known.contains($0.lowercased()) }).joined(separator: ", ").utf8)
    }
}
