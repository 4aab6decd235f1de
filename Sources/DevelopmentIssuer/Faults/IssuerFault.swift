/// Misbehaviour of the development issuer when a document is requested.
public struct IssuerFault: Sendable, Hashable {
    public var documents: Set<IssuerDocument>
    /// The status code of the answer; nil leaves it as it would have been. A redirection leads to the
    /// sound document: a client that follows it is found out.
    public var status: Int?
    /// Body that replaces the document. Nil leaves the document, unless there is a status.
    public var body: FaultyBody?
    /// Keys in the key set, if it is otherwise valid.
    public var keys: FaultyKeys
    /// Delay of the answer.
    public var delay: Duration
    /// Number of faulty answers, counted per document. Nil for all until the fault is cleared.
    public var answers: Int?

    /// The longest delay, so that no request is held forever.
    public static let longestDelay = Duration.seconds(120)

    public init(
        of documents: Set<IssuerDocument> = Set(IssuerDocument.allCases), status: Int? = nil, body: FaultyBody? = nil,
        keys: FaultyKeys = .all, delay: Duration = .zero, answers: Int? = nil,
    ) {
        self.documents = documents
        self.status = status
        self.body = body
        self.keys = keys
        self.delay = min(delay, Self.longestDelay)
        self.answers = answers
    }
}

/// A document the issuer publishes.
public enum IssuerDocument: String, Sendable, Hashable, CaseIterable {
    /// The issuer's metadata (RFC 8414; OpenID Connect Discovery 1.0), at either of its places.
    case discovery
    /// The JWK set (RFC 7517).
    case jwks
}

/// Content of a faulty answer.
public enum FaultyBody: String, Sendable, Hashable, CaseIterable {
    /// Bytes that are not JSON.
    case junk
    case empty
    /// Valid JSON of 1 MiB, beyond what a careful client reads.
    case huge
    /// An object without members, as an issuer publishes that has no keys.
    case object

    var text: String {
        switch self {
        case .junk: "<html>it works}"
        case .empty: ""
        case .object: "{}"
        case .huge: #"{"keys":[],"padding":""# + String(repeating: "x", count: 1024 * 1024) + #""}"#
        }
    }
}

/// Keys in a key set.
public enum FaultyKeys: Sendable, Hashable {
    case all
    /// One key missing in turn, as if each response came from another server that knows different keys.
    case oneMissingInTurn
}
