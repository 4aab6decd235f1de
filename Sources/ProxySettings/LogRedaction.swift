/// What the access log redacts.
public struct LogRedaction: Sendable, Hashable {
    /// What is written in place of a text.
    public enum Text: Sendable, Hashable {
        case shown
        /// An HMAC of it, so that lines of one and the same can be found.
        case hashed
        case dropped
    }

    /// What is written in place of a path.
    public enum Path: Sendable, Hashable {
        case shown
        /// The pattern of the rule that it fell under.
        case rule
        case dropped
    }

    public var subject = Text.shown
    public var clientID = Text.shown
    public var tokenID = Text.shown
    public var detail = Text.shown
    public var path = Path.shown
    /// The secret of the HMAC; nil: one of the process's own.
    public var key: [UInt8]?

    public init() {}

    public var hashes: Bool { [subject, clientID, tokenID, detail].contains(.hashed) }
}
