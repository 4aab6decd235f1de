/// Redaction of the access log: what is shown, hashed or dropped.
public struct LogRedaction: Sendable, Hashable {
    /// Redaction of a text.
    public enum Text: Sendable, Hashable {
        case shown
        /// Replaced by an HMAC of the text, so that lines with the same text can still be found.
        case hashed
        case dropped
    }

    /// Redaction of a request path.
    public enum Path: Sendable, Hashable {
        case shown
        /// Replaced by the pattern of the matching rule.
        case rule
        case dropped
    }

    public var subject = Text.shown
    public var clientID = Text.shown
    public var tokenID = Text.shown
    public var scopes = Text.shown
    public var actor = Text.shown
    public var tenant = Text.shown
    public var organization = Text.shown
    /// Redaction of each claim that the file chooses for the log.
    public var claims = Text.shown
    public var detail = Text.shown
    public var client = Text.shown
    /// `User-Agent`, which only spans have.
    public var userAgent = Text.shown
    public var path = Path.shown
    /// Secret key of the HMAC. Nil if the process generates its own.
    public var key: [UInt8]?

    public init() {}

    /// True if no value of a token is hashed or dropped. Otherwise `detail` must not show a claim, which may be that
    /// value.
    public var showsToken: Bool {
        [subject, clientID, tokenID, scopes, actor, tenant, organization, claims].allSatisfy { $0 == .shown }
    }

    public var hashes: Bool {
        [subject, clientID, tokenID, scopes, actor, tenant, organization, claims, detail, client, userAgent]
            .contains(.hashed)
    }
}
