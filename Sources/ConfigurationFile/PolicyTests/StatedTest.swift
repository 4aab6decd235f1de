import RequestAuthorization
import TokenVerification

/// The tests of a policy, as one file states them.
public struct PolicyTestsFile: Sendable {
    /// In file order; never empty.
    public let tests: [StatedTest]
}

/// One request, and what must come of it.
public struct StatedTest: Sendable {
    /// What it is called, or else its request.
    public let name: String
    public let place: FilePlace
    /// Without its token.
    public let request: ExplainedRequest
    public let token: StatedToken
    /// The time at which it is judged; nil: now.
    public let time: NumericDate?
    public let expectation: StatedExpectation
}

/// Where a test's token comes from.
public enum StatedToken: Sendable {
    case none
    /// What a key of the issuer signed: what the issuer needs, and in its place what is stated. A null stands for what
    /// is left out.
    case claims(IssuerIndex, header: [StatedMember], claims: [StatedMember])
    /// One of the known samples, with what is stated in its place; nil: as the sample's own issuer signed it.
    case sample(String, IssuerIndex?, header: [StatedMember], claims: [StatedMember])
    /// The bytes of a token.
    case bytes(String)
}

/// What must come of a request; what is nil is not looked at.
public struct StatedExpectation: Sendable {
    public internal(set) var status: Int?
    /// The label of a reason.
    public internal(set) var reason: String?
    /// What the request would be refused for if its rule were not only observed.
    public internal(set) var would = StatedWould.unseen
    /// The scopes that the challenge asks for, in any order.
    public internal(set) var scope: [String]?
    /// The whole `WWW-Authenticate` field.
    public internal(set) var challenge: String?
    /// The resource by its identifier, the rule as it is written, and the issuer by its name.
    public internal(set) var resource: String?
    public internal(set) var rule: String?
    public internal(set) var issuer: String?
    /// The URL of a target that the request may go to.
    public internal(set) var upstream: String?
    /// The path that is forwarded, before the upstream's own is put in front.
    public internal(set) var path: String?
    /// Fields that state the identity, and their values; nil: it is not sent.
    public internal(set) var identity: [(name: String, value: String?)] = []
}

/// What a test expects of a request whose rule is only observed.
public enum StatedWould: Sendable, Hashable {
    /// It is not looked at.
    case unseen
    /// It would not be refused, or is.
    case nothing
    /// What is nil is not looked at.
    case refusal(status: Int?, reason: String?)
}
