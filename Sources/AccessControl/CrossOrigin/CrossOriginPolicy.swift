/// Permissions of pages of other origins at a resource (Fetch §3.2): which ones, what they may send, and what they may
/// read.
public struct CrossOriginPolicy: Sendable, Hashable {
    public let origins: AllowedOrigins
    /// Whether requests may carry cookies and client certificates; bearer tokens need no such permission.
    public let allowsCredentials: Bool
    /// For how many seconds a browser may remember the answer to a preflight.
    public let maxAge: Int

    /// Time that a browser may remember an answer where nothing is said of it.
    public static let usualMaxAge = Duration.seconds(600)
    /// The names of fields that a page may send, separated by commas; lower-case.
    public let requestFields: [UInt8]
    /// The names of answers' fields that a page may read, likewise.
    public let exposedFields: [UInt8]

    /// Names of the response fields of a rejection that every page must be able to read.
    private static let refusalFields = [
        "WWW-Authenticate", "Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-ID",
    ]

    /// - Parameters:
    ///   - tokenField: the field that has the token.
    ///   - requestFields: names besides that and `content-type`.
    ///   - exposedFields: names besides those of the gateway's own answers.
    public init(
        origins: AllowedOrigins, allowsCredentials: Bool = false, maxAge: Duration = usualMaxAge,
        tokenField: String = "authorization", requestFields: [String] = [], exposedFields: [String] = []
    ) {
        self.origins = origins
        self.allowsCredentials = allowsCredentials
        self.maxAge = Int(maxAge.components.seconds)
        self.requestFields = Self.list(
            [tokenField.lowercased(), "content-type"], requestFields.map { $0.lowercased() })
        self.exposedFields = Self.list(Self.refusalFields, exposedFields)
    }

    /// Whether it says the same of every origin but `null`.
    public var allowsAnyOrigin: Bool { origins == .any }

    private static func list(_ own: [String], _ configured: [String]) -> [UInt8] {
        let known = Set(own.map { $0.lowercased() })
        return Array((own + configured.filter { !known.contains($0.lowercased()) }).joined(separator: ", ").utf8)
    }
}
