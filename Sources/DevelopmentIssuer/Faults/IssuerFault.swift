/// A fault of the development issuer: how it misbehaves when documents are requested.
public struct IssuerFault: Sendable, Hashable {
    public var documents: Set<IssuerDocument>
    /// Status of the answer. Nil keeps the normal status.
    ///
    /// A redirection leads to the valid document under another URL, so that a client that follows redirections is
    /// detected.
    public var status: Int?
    /// Body that replaces the document. Nil keeps the document, unless a status is set.
    public var body: FaultyBody?
    /// Keys that a valid key set contains.
    public var keys: FaultyKeys
    /// Delay of the answer.
    public var delay: Duration
    /// Number of faulty answers for each document. Nil for all answers until the fault is cleared.
    public var answers: Int?

    /// Maximum delay, so that no request is held forever.
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

/// A document that the issuer publishes.
public enum IssuerDocument: String, Sendable, Hashable, CaseIterable {
    /// The issuer's metadata (RFC 8414; OpenID Connect Discovery 1.0), at both of its URLs.
    case discovery
    /// The JWK set (RFC 7517).
    case jwks
}

/// Content of a faulty answer.
public enum FaultyBody: String, Sendable, Hashable, CaseIterable {
    /// Bytes that are not JSON.
    case junk
    case empty
    /// Valid JSON of 1 MiB, more than a careful client reads.
    case huge
    /// `{}`, as published by an issuer that has no keys.
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

/// Keys that a key set contains.
public enum FaultyKeys: Sendable, Hashable {
    case all
    /// One key is missing, another one each time, as if servers with different keys answered in turn.
    case oneMissingInTurn
}
