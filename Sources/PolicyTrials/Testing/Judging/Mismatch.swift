import AccessControl
import ConfigurationFile
import RequestAuthorization
import TokenVerification

/// An expectation of a test that the outcome does not meet.
public struct Mismatch: Sendable, Hashable {
    /// Key of the expectation in the test file, such as `status` or `identity.X-Auth-Subject`.
    public let key: String
    public let expected: String
    public let seen: String
}

extension StatedExpectation {
    /// Compares the expectations with an outcome, and returns those that do not hold. Empty if all hold.
    func mismatches(_ seen: Observation, _ configuration: Configuration) -> [Mismatch] {
        var found: [Mismatch] = []
        func compare(_ key: String, _ expected: String?, _ actual: String?) {
            guard let expected, actual.map({ !$0.utf8.elementsEqual(expected.utf8) }) ?? true else { return }
            found.append(Mismatch(key: key, expected: expected, seen: actual ?? "none"))
        }
        compare("status", status.map { "\($0)" }, "\(seen.status)")
        compare("reason", reason, seen.reason?.label)
        switch would {
        case .unseen: break
        case .nothing: compare("would", "none", seen.would?.label ?? "none")
        case .refusal(let status, let reason):
            compare("would.status", status.map { "\($0)" }, seen.would.map { "\($0.status)" })
            compare("would.reason", reason, seen.would?.label)
        }
        if let scope, scope.sorted() != seen.scope.sorted() {
            found.append(Mismatch(key: "scope", expected: Self.listed(scope), seen: Self.listed(seen.scope)))
        }
        compare("challenge", challenge, seen.challenge?.fieldValue)
        compare("resource", resource, seen.resource.flatMap { configuration.resources[$0]?.terms.identifier })
        compare(
            "rule", rule,
            seen.writtenRule(of: configuration)?.name)
        compare("issuer", issuer, seen.facts?.issuer.flatMap { configuration.issuers[$0]?.trusted.name })
        if let upstream {
            let addresses = seen.upstream.flatMap { configuration.upstreams[$0]?.addresses } ?? []
            if !addresses.contains(upstream) { compare("upstream", upstream, addresses.first) }
        }
        compare("path", path, seen.path)
        for (name, value) in identity {
            let sent = seen.identity.first { $0.name.lowercased() == name.lowercased() }?.value
            if let value { compare("identity.\(name)", value, sent) }
            if value == nil, let sent { found.append(Mismatch(key: "identity.\(name)", expected: "none", seen: sent)) }
        }
        return found
    }

    private static func listed(_ scopes: [String]) -> String { scopes.isEmpty ? "none" : scopes.joined(separator: " ") }
}
