import AccessControl
import StrictJSON
import TokenVerification

/// Text about the claim for which a rule refuses a token: what the token has, and what is accepted.
struct RefusedClaim {
    private let path: ClaimPath
    private let test: ClaimTest
    private let claims: ClaimsSet

    /// Most bytes of the token's value that are shown.
    private static let longest = 128

    /// Finds the first claim that the token does not have as required. Of alternatives, only the first counts, as for
    /// the refusal itself. Nil if no claim is at fault.
    init?(_ requirement: Requirement, in claims: ClaimsSet, at now: NumericDate) {
        let asked = Self.firstParts(of: requirement).flatMap(\.facts).lazy.compactMap {
            fact -> (ClaimPath, ClaimTest)? in
            if case .claim(let path, let test) = fact { (path, test) } else { nil }
        }
        guard let (path, test) = asked.first(where: { !TokenTest.claim($0, $1).holds(for: claims, at: now) }) else {
            return nil
        }
        (self.path, self.test, self.claims) = (path, test, claims)
    }

    private static func firstParts(of requirement: Requirement) -> [Requirement] {
        guard case .anyOf(let alternatives) = requirement else { return [requirement] }
        return alternatives.first?.flatMap(firstParts) ?? []
    }

    func text(_ claimValues: ClaimValues, _ listed: ([String]) -> String) -> String {
        "\(path) is \(seen(claimValues)); accepted: \(accepted(listed))"
    }

    private func accepted(_ listed: ([String]) -> String) -> String {
        if case .held(let choice) = test { return listed(choice.names) }
        if case .excluded(let choice) = test { return "any but \(listed(choice.names))" }
        return "no such claim"
    }

    private func seen(_ claimValues: ClaimValues) -> String {
        let values = path.values(in: claims.json)
        guard let first = values.first else {
            // A claim that must be absent, and whose path may mean another member.
            return test == .missing ? "not certain to be absent" : "missing"
        }
        switch claimValues {
        case .hidden: return values.count > 1 ? "\(values.count) values" : first.kind.text
        case .shown:
            let text = values.map { String(decoding: $0.serialized(), as: UTF8.self) }.joined(separator: ", ")
            return text.utf8.count > Self.longest ? text.prefix(utf8Count: Self.longest) + "…" : text
        }
    }
}

/// Whether a `detail` shows the values of claims, or only their types.
public enum ClaimValues: Sendable, Hashable {
    case shown, hidden
}

extension ClaimChoice {
    fileprivate var names: [String] { values.map(\.description) + patterns.map { "\($0) (glob)" } }
}

extension JSONValue.Kind {
    fileprivate var text: String {
        switch self {
        case .string: "a string"
        case .integer, .real: "a number"
        case .boolean: "a boolean"
        case .array: "an array"
        case .object: "an object"
        case .null: "null"
        }
    }
}
