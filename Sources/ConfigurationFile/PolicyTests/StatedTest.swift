import RequestAuthorization
import TokenVerification

/// Policy tests of one file.
public struct PolicyTestsFile: Sendable {
    /// Tests in file order. Never empty in a file that was read.
    public let tests: [StatedTest]

    /// No tests yet.
    public static let none = PolicyTestsFile(tests: [])
}

/// Test of a policy: a request with its token, and the expected outcome.
public struct StatedTest: Sendable {
    /// Name of the test. Its method and URL if the file gives no name.
    public let name: String
    public let place: FilePlace
    /// Request without its token.
    public let request: ExplainedRequest
    public let token: StatedToken
    /// Time at which the request is judged. Nil for the present.
    public let time: NumericDate?
    public let expectation: StatedExpectation
}

/// Source of a test's token.
public enum StatedToken: Sendable {
    case none
    /// Token signed by a key of the issuer. It has the members that the issuer needs, overridden by the given ones. A
    /// null leaves a member out.
    case claims(IssuerIndex, header: [StatedMember], claims: [StatedMember])
    /// Known sample token, with the given members overridden. If the issuer is nil, it is signed by the sample's own
    /// issuer.
    case sample(String, IssuerIndex?, header: [StatedMember], claims: [StatedMember])
    /// Text of a complete token.
    case bytes(String)
}

/// Expected outcome of a request. Nil properties are not compared.
public struct StatedExpectation: Sendable {
    public internal(set) var status: Int?
    /// Label of the rejection reason. Nil if not compared.
    public internal(set) var reason: String?
    /// Refusal that would follow if the matching rule were enforced and not only observed.
    public internal(set) var would = StatedWould.unseen
    /// Scopes in the challenge, in any order. Nil if not compared.
    public internal(set) var scope: [String]?
    /// Whole value of `WWW-Authenticate`. Nil if not compared.
    public internal(set) var challenge: String?
    /// Identifier of the resource that the request is for. Nil if not compared.
    public internal(set) var resource: String?
    public internal(set) var rule: String?
    public internal(set) var issuer: String?
    /// URL of a target that the request may go to. Nil if not compared.
    public internal(set) var upstream: String?
    /// Forwarded path, without the base path of the upstream. Nil if not compared.
    public internal(set) var path: String?
    /// Identity headers and their values. A nil value means that the header is not sent.
    public internal(set) var identity: [(name: String, value: String?)] = []
}

/// Expectation for the refusal that an observed rule would have caused.
public enum StatedWould: Sendable, Hashable {
    /// Nothing is expected.
    case unseen
    /// The request must not be one that was only forwarded because its rule is observed.
    case nothing
    /// The request must be one that an enforced rule would refuse. Nil values are not compared.
    case refusal(status: Int?, reason: String?)
}
