import ProviderFixtures
import StrictJSON

extension DemoRequest {
    /// Compares an answer with the expected one, and describes each difference in a few words.
    func differences(in answer: PlainAnswer) -> [String] {
        differentStatus(answer) + differentChallenge(answer) + differentProblem(answer) + differentIdentity(answer)
    }

    private func differentStatus(_ answer: PlainAnswer) -> [String] {
        answer.status == status ? [] : ["expected status \(status)"]
    }

    private func differentChallenge(_ answer: PlainAnswer) -> [String] {
        let field = answer.field("WWW-Authenticate")
        guard challenge != .none else {
            return field.map { field in ["expected no challenge, but there is \(field)"] } ?? []
        }
        guard let field, let parameters = ReceivedChallenge(field) else {
            return ["expected a Bearer challenge, but there is \(field ?? "none")"]
        }
        return challenge.parameters.sorted { left, right in left.key < right.key }.compactMap {
            name, expected in
            let actual = parameters[name]
            guard actual != expected else { return nil }
            return "expected \(name) \(expected ?? "absent") in the challenge, but it is \(actual ?? "absent")"
        }
    }

    /// Checks that an answer of the gateway itself is a problem document (RFC 9457) with the same status.
    private func differentProblem(_ answer: PlainAnswer) -> [String] {
        guard status >= 400 else { return [] }
        let json = try? JSONDocument(parsing: answer.body, limits: .document).root
        guard answer.field("Content-Type") == "application/problem+json",
            json?[member: "status"]?.integer == Int64(status)
        else {
            return ["expected a problem document that says \(status)"]
        }
        return []
    }

    private func differentIdentity(_ answer: PlainAnswer) -> [String] {
        guard let expected = identity else { return [] }
        guard let root = try? JSONDocument(parsing: answer.body, limits: .document).root,
            let identity = root[member: "identity"]
        else {
            return ["expected the shop's view of the caller"]
        }
        var seen: [String: String] = [:]
        for member in identity.members { seen[member.name.lowercased()] = member.value.string ?? "" }
        var differences = seen == expected ? [] : ["expected the shop to see \(expected), but it saw \(seen)"]
        if root[member: "authorization_received"]?.boolean != false {
            differences.append("expected the token to stay at the gateway")
        }
        return differences
    }
}
