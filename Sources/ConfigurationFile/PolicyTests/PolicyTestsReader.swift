import HTTPMessages
import NetworkNames
import RequestAuthorization
import TokenVerification

/// Reads a file of policy tests for one configuration.
struct PolicyTestsReader {
    let configuration: Configuration
    /// Names of the known sample tokens.
    let samples: [String]
    /// Time of the file, for tests without their own. Nil if the file has none.
    private var time: NumericDate?
    private lazy var tokenHeaders = TokenHeaderOfTest(configuration)

    init(_ configuration: Configuration, samples: [String]) {
        self.configuration = configuration
        self.samples = samples
    }

    /// Reads every test that can be read. The list is complete if no error was reported.
    mutating func read(_ root: Value) -> [StatedTest] {
        guard let section = Section(root, of: PolicyTestsKeys.self) else { return [] }
        time = section.read(\.at).value
        guard let tests = section.required(\.tests) else { return [] }
        guard tests.isList else {
            tests.report("expected a list of tests", hint: "write each behind a dash: `- {request: …, expect: …}`")
            return []
        }
        return tests.someElements(of: "test")?.compactMap { test($0) } ?? []
    }

    private mutating func test(_ value: Value) -> StatedTest? {
        guard let section = Section(value, of: PolicyTestKeys.self) else { return nil }
        let request = section.required(\.request).flatMap { self.request($0, section) }
        let token = token(section)
        let name = section.read(\.name)
        let time = section.read(\.at)
        let expectation = section.required(\.expect).flatMap(expectation)
        guard let request, let token, let expectation, !time.isWrong, !name.isWrong else { return nil }
        if case .none = token, let header = section[\.tokenHeader] {
            return header.refuse("the test has no token", hint: "write `issuer` and `claims`, or leave it out")
        }
        if let header = section[\.tokenHeader] { tokenHeaders.judge(header, of: request) }
        let place = FilePlace(position: value.node.position, keyPath: value.path.description)
        return StatedTest(
            name: name.value ?? "\(request.method) \(request.url)", place: place, request: request, token: token,
            time: time.value ?? self.time, expectation: expectation)
    }

    // MARK: Request

    private func request(_ value: Value, _ section: Section<PolicyTestKeys>) -> ExplainedRequest? {
        guard let text = value.someText(expected: "a method and a URL") else { return nil }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let method = parts.first, let url = parts.last, !method.isEmpty,
            ExplainedRequest.isURL(url)
        else {
            return value.refuse(
                "`\(text)` is not a method and a URL, or a path that begins with a slash",
                hint: "write `GET /orders`, with one space between")
        }
        var fields = section.read(\.headers).or([])
        if let host = section[\.host] {
            guard let name = host.someText(expected: "a host") else { return nil }
            guard url.hasPrefix("/") else {
                return host.refuse("the URL of `request` names a host too", hint: "keep one of them")
            }
            fields?.insert("Host: \(name)", at: 0)
        }
        let tokenField = section.read(\.tokenHeader, tokenField)
        guard let fields, !tokenField.isWrong else { return nil }
        return ExplainedRequest(method: method, url: url, fields: fields, tokenField: tokenField.value)
    }

    private func tokenField(_ value: Value) -> FieldName? {
        guard let text = value.someText(expected: "a header name") else { return nil }
        return FieldName(text) ?? value.refuse("`\(text)` is not a field name (RFC 9110 §5.1)")
    }

    static func fields(_ value: Value) -> [String]? {
        value.members(expected: "a mapping of names to values")?.flatMap { member in
            (member.value.elements()?.compactMap { $0.text() } ?? []).map { "\(member.key): \($0)" }
        }
    }

    static func time(_ value: Value) -> NumericDate? {
        guard let text = value.someText(expected: "a time") else { return nil }
        guard let time = NumericDate(written: text) else {
            return value.refuse("`\(text)` is not a time", hint: "write 2026-11-22T10:00:00Z, or seconds since 1970")
        }
        return time
    }

    // MARK: Token

    /// Reads the token of a test. Nil if something is invalid, which was then reported.
    private func token(_ section: Section<PolicyTestKeys>) -> StatedToken? {
        let issuer = section.read(\.issuer, issuer)
        let header = section.read(\.header)
        let claims = section.read(\.claims)
        guard !issuer.isWrong, !header.isWrong, !claims.isWrong else { return nil }
        let changes = (header: header.value ?? [], claims: claims.value ?? [])
        if section[\.tokenFile] != nil {
            for other in [section[\.issuer], section[\.header], section[\.claims], section[\.sample]] {
                other?.reportMissing(
                    "cannot stand beside `token_file`", hint: "the token in the file says all of that; keep one of them"
                )
            }
            return section.read(\.tokenFile).value.map { .bytes($0) }
        }
        if let sample = section[\.sample] {
            return sampleName(sample).map { .sample($0, issuer.value, header: changes.header, claims: changes.claims) }
        }
        guard let stated = section[\.claims] ?? section[\.header] ?? section[\.issuer] else { return StatedToken.none }
        if let issuer = issuer.value { return .claims(issuer, header: changes.header, claims: changes.claims) }
        guard configuration.issuers.count == 1 else {
            let names = configuration.issuers.map(\.trusted.name).joined(separator: ", ")
            return stated.refuseMissing("the token's issuer is missing", hint: "write `issuer:` with one of \(names)")
        }
        return .claims(0, header: changes.header, claims: changes.claims)
    }

    private func issuer(_ value: Value) -> IssuerIndex? {
        guard let name = value.someText(expected: "an issuer's name") else { return nil }
        if let issuer = configuration.issuers.firstIndex(where: { $0.trusted.name == name }) { return issuer }
        return value.refuse(
            "there is no issuer `\(name)`",
            hint: NearestName.hint(for: name, among: configuration.issuers.map(\.trusted.name)))
    }

    private func sampleName(_ value: Value) -> String? {
        guard let name = value.someText(expected: "a sample's name") else { return nil }
        guard !samples.contains(name) else { return name }
        let family = name.split(separator: "/").first.map { "\($0)/" } ?? ""
        let near = NearestName.of(name, among: samples).map { "did you mean `\($0)`?" }
        let siblings = samples.filter { $0.hasPrefix(family) }
        return value.refuse(
            "there is no sample `\(name)`",
            hint: near
                ?? (siblings.isEmpty
                    ? "write `PROVIDER/KIND`, such as `logto/access`" : "there are \(siblings.joined(separator: ", "))")
        )
    }

    /// Largest token file that is read, in bytes: larger than the largest request head.
    private static let longestToken = 128 * 1024

    static func tokenFile(_ value: Value) -> String? {
        guard let path = value.someText(expected: "a path") else { return nil }
        guard let bytes = value.secretFile(path, longest: longestToken)?.bytes else { return nil }
        var token = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
        if token.count == 2, token[0].lowercased() == "bearer" { token.removeFirst() }
        guard token.count == 1, bytes.count <= longestToken else {
            return value.refuse(
                "`\(path)` does not hold one token", hint: "write the token alone, with `Bearer ` before it or without")
        }
        return token[0]
    }

    // MARK: Expectation

    private func expectation(_ value: Value) -> StatedExpectation? {
        guard let section = Section(value, of: ExpectationKeys.self) else { return nil }
        guard value.members()?.isEmpty == false else {
            return value.refuse("expects nothing", hint: "write at least a status: {status: 200}")
        }
        var expectation = StatedExpectation()
        section.assign(to: &expectation)
        expectation.resource = Self.name(section[\.resource], among: configuration.resources.map(\.terms.identifier))
        expectation.rule = Self.name(section[\.rule], among: configuration.resources.flatMap { $0.rules.map(\.name) })
        expectation.issuer = Self.name(section[\.issuer], among: configuration.issuers.map(\.trusted.name))
        expectation.upstream = section[\.upstream].flatMap(upstream)
        judge(expectation, section)
        return expectation
    }

    static func would(_ value: Value) -> StatedWould? {
        guard value.isMapping else {
            guard let text = value.someText(expected: "`none` or a mapping") else { return nil }
            if text == WouldKeys.none { return .nothing }
            return value.refuse("`\(text)` is not known here", hint: "write `none`, or {status: 401, reason: expired}")
        }
        guard let section = Section(value, of: WouldKeys.self) else { return nil }
        guard value.members()?.isEmpty == false else {
            return value.refuse("expects nothing", hint: "write at least a reason: {reason: expired}")
        }
        let status = section.read(\.status)
        let reason = section.read(\.reason)
        guard !status.isWrong, !reason.isWrong else { return nil }
        return .refusal(status: status.value, reason: reason.value)
    }

    /// Reports expectations that contradict each other, so that no response can meet them.
    private func judge(_ expectation: StatedExpectation, _ section: Section<ExpectationKeys>) {
        guard let label = expectation.reason, let reason = RejectionReason.allCases.first(where: { $0.label == label })
        else { return }
        if let status = expectation.status, status != reason.status {
            section[\.status]?.report(
                "a request that is refused for `\(label)` is answered \(reason.status)", hint: "keep one of the two")
        }
        for value in [section[\.upstream], section[\.path], section[\.identity]] where reason.status >= 400 {
            value?.reportMissing(
                "a request that is refused is not forwarded", hint: "leave it out, or the reason")
        }
    }

    /// Reads a name that must be among the known ones. Messages call the name by the value's key, such as `rule`. Nil
    /// if the value is absent, or after an error, which is reported.
    static func name(_ value: Value?, among known: [String]) -> String? {
        guard let value, let what = value.path.key, let text = value.someText(expected: "a \(what)") else { return nil }
        guard !known.contains(text) else { return text }
        let near = NearestName.of(text, among: known).map { "did you mean `\($0)`?" }
        return value.refuse(
            "there is no \(what) `\(text)`", hint: near ?? "there is \(known.prefix(8).joined(separator: ", "))")
    }

    static func scopes(_ value: Value) -> [String]? {
        value.elements(expected: "scopes")?.flatMap { element in
            (element.text() ?? "").split(separator: " ").map(String.init)
        }
    }

    private func upstream(_ value: Value) -> String? {
        guard let text = value.someText(expected: "a URL") else { return nil }
        let known = configuration.upstreams.flatMap(\.addresses)
        guard !known.contains(text) else { return text }
        let near = NearestName.of(text, among: known).map { "did you mean `\($0)`?" }
        return value.refuse(
            "no upstream of the file is `\(text)`", hint: near ?? "there is \(known.prefix(8).joined(separator: ", "))")
    }

    static func identity(_ value: Value) -> [(name: String, value: String?)]? {
        value.members(expected: "a mapping of fields to values")?.compactMap { member in
            switch member.value.statedValue() {
            case .null: (member.key, nil)
            case .string(let text): (member.key, text)
            case .integer(let number): (member.key, "\(number)")
            case .boolean(let truth): (member.key, "\(truth)")
            case .real, .array, .object: report(member)
            case nil: nil
            }
        }
    }

    private static func report(_ member: Value.Member) -> (name: String, value: String?)? {
        return member.value.refuse("expected the field's text, or null")
    }
}
