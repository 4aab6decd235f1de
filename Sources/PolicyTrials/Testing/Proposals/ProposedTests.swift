public import ConfigurationFile
import RequestAuthorization
import TokenVerification

/// Tests that are missing in a test file, as text in the format of that file.
///
/// Each has a request that the configuration and a mutant of it answer differently, and expects the configuration's
/// answer. A person must judge whether that is the intended answer.
public struct ProposedTests: Sendable {
    /// The tests as YAML. Empty if none is missing.
    public internal(set) var text = ""
    public internal(set) var count = 0
    /// Gaps for which no request was found.
    public internal(set) var unresolved: [Gap] = []

    /// A rule or a change that no test covers.
    public struct Gap: Sendable {
        public let text: String
        public let place: FilePlace
    }

    mutating func append(_ test: ProposedTest) {
        if text.isEmpty { text = "tests:\n" }
        text += test.yaml
        count += 1
    }
}

/// One proposed test, as an element of the YAML list `tests`.
struct ProposedTest {
    let yaml: String

    /// Possible forms of a test for the difference between a configuration and its mutant, the shortest first.
    ///
    /// - Parameter isObserved: whether an observed rule was compared as if it were enforced.
    static func candidates(
        _ difference: Difference, of mutant: Mutant, _ configuration: Configuration, isObserved: Bool
    ) -> [Self] {
        let witness = difference.witness
        let request = ["name: \(quoted(mutant.text))", "request: \(quoted(witness.method + " " + witness.url))"]
        let expected = ["expect: \(expectation(difference, isObserved: isObserved))"]
        switch witness.credentials {
        case .none: return [Self(request + expected)]
        case .broken:
            return [Self(request + ["headers: {\(Witness.broken.name): \(quoted(Witness.broken.value))}"] + expected)]
        case .token(let token, let fields):
            guard let issuer = issuer(of: token, mutant, configuration) else { return [] }
            let claims = token.members
            let short = claims.filter {
                !["iat", "exp"].contains($0.name) && ($0.name != "iss" || !issuer.hasIdentifier(of: token))
            }
            let others = self.fields(besides: fields, difference, configuration)
            let whole = ["header: \(text(token.header.json))", "at: \(Int64(PolicyComparison.time.seconds))"]
            return [(short, []), (claims, whole), (claims + issuer.needs(besides: claims), whole)].map {
                (claims, whole) in
                let token = ["issuer: \(quoted(issuer.name))", "claims: \(text(claims))"]
                return Self(request + token + others + whole + expected)
            }
        }
    }

    /// Lines of a test for a token in another field than the first of its resource, and for fields besides. Empty if
    /// the request has the token in that first field alone.
    private static func fields(
        besides fields: TokenFields, _ difference: Difference, _ configuration: Configuration
    ) -> [String] {
        let resource = configuration.resources.first { $0.terms.identifier == difference.old.resource }
        var lines: [String] = []
        if let first = fields.places.first, let resource, first != resource.terms.tokenPlace {
            lines.append("token_header: \(quoted(first.fieldName))")
        }
        let others = difference.witness.fields.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return "\(name): \(quoted(String(line.dropFirst(name.count + 2))))"
        }
        return others.isEmpty ? lines : lines + ["headers: {\(others.joined(separator: ", "))}"]
    }

    private init(_ lines: [String]) {
        yaml = "  - " + lines.joined(separator: "\n    ") + "\n"
    }

    /// The issuer of a token: the one that the mutant changes, otherwise the first that has the token's `iss`. Nil if
    /// there is none.
    private static func issuer(of token: LeastToken, _ mutant: Mutant, _ configuration: Configuration) -> TrustedIssuer?
    {
        let trusted = configuration.issuers.mapped(\.trusted)
        if case .issuer(let index, _) = mutant.change { return trusted[index] }
        return trusted.indexed.map(\.element).first { $0.hasIdentifier(of: token) }
    }

    private static func expectation(_ difference: Difference, isObserved: Bool) -> String {
        let (answer, changes) = (difference.old, difference.changes)
        var members: [String] = []
        if isObserved {
            members = ["status: 200", "would: \(answer.reason.map { "{reason: \($0)}" } ?? "none")"]
        } else {
            members = ["status: \(answer.status)"]
            if let reason = answer.reason { members.append("reason: \(reason)") }
            if let would = answer.would { members.append("would: {reason: \(would)}") }
        }
        if let upstream = answer.upstream.first { members.append("upstream: \(quoted(upstream))") }
        var identity: [String] = []
        for change in changes {
            switch change.aspect {
            case .path: members.append("path: \(quoted(change.old ?? "/"))")
            case .field(let name): identity.append("\(name): \(change.old.map(quoted) ?? "null")")
            case .upstream, .host, .authorization: break
            }
        }
        if !identity.isEmpty { members.append("identity: {\(identity.joined(separator: ", "))}") }
        return "{\(members.joined(separator: ", "))}"
    }

    // JSON is valid YAML in flow style.
    private static func quoted(_ text: String) -> String { self.text(StatedValue.string(text).json) }
    private static func text(_ members: [StatedMember]) -> String { text(StatedValue.object(members).json) }
    private static func text(_ json: [UInt8]) -> String { String(decoding: json, as: UTF8.self) }
}

extension TrustedIssuer {
    fileprivate func hasIdentifier(of token: LeastToken) -> Bool {
        guard case .string(let text)? = token.members.first(where: { $0.name == "iss" })?.value else { return false }
        return identifiers.contains { $0.matches(text) }
    }

    /// Claims that a test would add for this issuer and that the token lacks, each with the value null.
    fileprivate func needs(besides claims: [StatedMember]) -> [StatedMember] {
        var needs = StatedObject()
        IssuerNeeds(issuer: self, audiences: ["any"], time: PolicyComparison.time).complete(claims: &needs)
        return needs.members.map(\.name).filter { name in !claims.contains { $0.name == name } }.map {
            StatedMember($0, .null)
        }
    }
}
