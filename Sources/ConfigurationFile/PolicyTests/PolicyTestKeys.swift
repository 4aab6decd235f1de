import RequestAuthorization

/// Keys of a file of policy tests.
final class PolicyTestsKeys: SectionKeys {
    static let section = SectionReference(
        "A file of tests", "Requests, and what a policy must answer to each.", of: PolicyTestsKeys.self)

    /// Form of a time in a file of tests.
    static let time = KeyForm(.text("a time as RFC 3339 writes it, or seconds since 1970"), PolicyTestsReader.time)

    let tests = Key(
        "tests", form: .listAlone(.section(PolicyTestKeys.section)),
        .refused(hint: "write a list: `tests: [{request: …, expect: …}]`"),
        "The tests, each of which is judged alone.", example: "[{request: GET /health, expect: {status: 200}}]")
    let at = Key(
        "at", PolicyTestsKeys.time, .meaning("it is the time at which the tests are run"),
        "Time at which requests without their own `at` are judged.", example: "2026-11-22T10:00:00Z")
}

/// YAML keys of one test in a file of policy tests.
final class PolicyTestKeys: SectionKeys {
    static let section = SectionReference("Tests", "One request, and its expected outcome.", of: PolicyTestKeys.self)

    private static let members = KeyForm(.mapping(of: .text("a name"), to: .anything)) { $0.statedMembers() }

    let name = Key(
        "name", .text("text"), .meaning("it is named after its request"),
        "Name of the test in failures.", example: "reads with read")
    let request = Key(
        "request", form: .pattern("a method and a URL or a path", "^[^ ]+ [^ ]+$"),
        .refused(hint: "write a method and a URL: `request: GET /orders`"),
        "The request's method, and its URL or its path alone.",
        example: "GET https://shopping.your-app.com/api/orders/7")
    let host = Key(
        "host", form: .text("a host, perhaps with a port"), .meaning("it is the URL's, or `localhost`"),
        "The host of a request whose path alone is written.", example: "shopping.your-app.com")
    let headers = Key(
        "headers",
        KeyForm(.mapping(of: .text("a field's name"), to: .list(.text("a value"))), PolicyTestsReader.fields),
        .meaning("there are no others"), "More header fields of the request. A list repeats the field.",
        example: "{Origin: https://app.example}")
    let issuer = Key(
        "issuer", form: .text("an issuer's name"),
        .meaning("it is the file's only issuer; without `claims`, `sample` and `token_file` there is no token"),
        "The issuer whose key signs the token.", example: "logto")
    let claims = Key(
        "claims", PolicyTestKeys.members, .meaning("the token has only the claims that its issuer needs"),
        "Claims of the token. Claims that the issuer needs are added; null leaves one out.",
        example: "{sub: u1, scope: shopping:read}")
    let header = Key(
        "header", PolicyTestKeys.members, .meaning("it names an algorithm, the type and a key that fit the issuer"),
        "Header members that replace the generated ones; null leaves one out.", example: "{typ: JWT}")
    let sample = Key(
        "sample", form: .text("a sample's name"), .meaning("the token is none of the samples"),
        "A sample token of a provider, issued at the time of the test. `claims` and `header` change it.",
        example: "logto/access")
    let tokenFile = Key(
        "token_file", KeyForm(.text("a path"), PolicyTestsReader.tokenFile), .meaning("the token is not in a file"),
        "A file with a token. Its signature is not verified.", example: "./real.jwt")
    let tokenHeader = Key(
        "token_header", form: .text("a header name"), .meaning("it is the first that the resource takes tokens from"),
        "The header that has the token, one of those that the resource takes tokens from.", example: "X-Access-Token")
    let at = Key(
        "at", PolicyTestsKeys.time, .meaning("it is the file's `at`"), "When the request is judged.",
        example: "2026-11-22T10:00:00Z")
    let expect = Key(
        "expect", form: .section(ExpectationKeys.section),
        .refused(hint: "write the expected outcome: `expect: {status: 200}`"),
        "Expected outcome. Keys that are not written are not compared.",
        example: "{status: 403, reason: insufficient_scope}")
}

extension StatedExpectation: Defaulted {
    static var defaults: Self { Self() }
}

/// Keys of the expectations of a test in a file of policy tests.
final class ExpectationKeys: SectionKeys {
    static let section = SectionReference(
        "Expectations", "Expected outcome of a request. Everything written must hold.", of: ExpectationKeys.self)

    private static let unseen = KeyAbsence.meaning("it is not compared")

    let status = Setting(
        "status", \StatedExpectation.status, .integer(200...599), without: ExpectationKeys.unseen,
        "The answer's status; 200 is also that of a request which is forwarded.", example: "403")
    let reason = Setting(
        "reason", \StatedExpectation.reason, .reason(of: RejectionReason.allCases),
        without: ExpectationKeys.unseen, "Why the request is refused, as in the access log.",
        example: "insufficient_scope")
    let would = Setting(
        "would", \StatedExpectation.would,
        KeyForm(.oneOf([.section(WouldKeys.section), .words([WouldKeys.none])]), PolicyTestsReader.would),
        without: ExpectationKeys.unseen, WouldKeys.section.text, example: "{status: 401, reason: expired}")
    let scope = Setting(
        "scope", \StatedExpectation.scope,
        KeyForm(.list(.text("scopes"), mayBeEmpty: true), PolicyTestsReader.scopes), without: ExpectationKeys.unseen,
        "The scopes that the challenge asks for, in any order.", example: "[shopping:write]")
    let challenge = Setting(
        "challenge", \StatedExpectation.challenge, .text("text"),
        without: ExpectationKeys.unseen, "The whole value of the `WWW-Authenticate` field.",
        example: "'Bearer realm=\"orders\"'")
    let resource = Key(
        "resource", form: .text("a resource of the file"), ExpectationKeys.unseen,
        "The resource that the request is for.",
        example: "https://shopping.your-app.com/api")
    let rule = Key(
        "rule", form: .text("a rule as it is written"), ExpectationKeys.unseen,
        "The rule that the request falls under.",
        example: "GET /orders/**")
    let issuer = Key(
        "issuer", form: .text("an issuer's name"), ExpectationKeys.unseen, "The issuer that the token names.",
        example: "logto")
    let upstream = Key(
        "upstream", form: .text("a URL"), ExpectationKeys.unseen, "A target that the request may go to.",
        example: "http://127.0.0.1:9000")
    let path = Setting(
        "path", \StatedExpectation.path, .text("a path"),
        without: ExpectationKeys.unseen, "The path that is forwarded, before the upstream's own is put in front.",
        example: "/orders/7")
    let identity = Setting(
        "identity", \StatedExpectation.identity,
        KeyForm(.mapping(of: .text("a field's name"), to: .anything), PolicyTestsReader.identity),
        without: ExpectationKeys.unseen,
        "Identity headers and their values; null if the header must not be sent.",
        example: "{X-Auth-Subject: u1}")
}

/// Keys of `would`: the refusal that an observed rule would have caused if it were enforced.
final class WouldKeys: SectionKeys {
    /// Word for a request that would not be refused.
    static let none = "none"

    static let section = SectionReference(
        "would",
        "The refusal that the request was spared because its rule is only observed; `none` if there was none.",
        of: WouldKeys.self)

    let status = Key(
        "status", .integer(400...599), .meaning("it is not compared"), "The status that the answer would have.",
        example: "401")
    let reason = Key(
        "reason", .reason(of: RejectionReason.allCases.filter(\.isSuspendable)), .meaning("it is not compared"),
        "Why the request would be refused.", example: "expired")
}

extension KeyForm where Result == String {
    /// Form of the label of a rejection reason.
    fileprivate static func reason(of reasons: [RejectionReason]) -> KeyForm {
        let labels = reasons.map(\.label)
        return KeyForm(.words(labels)) { PolicyTestsReader.name($0, among: labels) }
    }
}
