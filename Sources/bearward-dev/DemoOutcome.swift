import ProviderFixtures
import StrictJSON

/// How one answer of the demo compares with what was expected.
struct DemoOutcome: Sendable {
    private let request: DemoRequest
    private let status: UInt
    /// Each in a few words; none if the answer is right.
    let differences: [String]

    init(_ request: DemoRequest, _ answer: PlainAnswer) {
        self.request = request
        status = answer.status
        differences =
            Self.status(request, answer) + Self.challenge(request, answer) + Self.problem(request, answer)
            + Self.identity(request, answer)
    }

    /// One line of the table, and one more for each difference.
    var line: String {
        let mark = differences.isEmpty ? "✓" : "✗"
        let first = "\(mark) \(status) \(request.method) \(request.path) \(request.caller)"
        return ([first] + differences.map { difference in "      \(difference)" }).joined(separator: "\n")
    }

    private static func status(_ request: DemoRequest, _ answer: PlainAnswer) -> [String] {
        answer.status == request.status ? [] : ["expected status \(request.status)"]
    }

    private static func challenge(_ request: DemoRequest, _ answer: PlainAnswer) -> [String] {
        let field = answer.field("WWW-Authenticate")
        guard request.challenge != .none else {
            return field.map { field in ["expected no challenge, but there is \(field)"] } ?? []
        }
        guard let field, let parameters = BearerChallenge(field) else {
            return ["expected a Bearer challenge, but there is \(field ?? "none")"]
        }
        return request.challenge.parameters.sorted { left, right in left.key < right.key }.compactMap {
            name, expected in
            let actual = parameters[name]
            guard actual != expected else { return nil }
            return "expected \(name) \(expected ?? "absent") in the challenge, but it is \(actual ?? "absent")"
        }
    }

    /// What the gateway answers itself is a problem document (RFC 9457) that says the same status.
    private static func problem(_ request: DemoRequest, _ answer: PlainAnswer) -> [String] {
        guard request.status >= 400 else { return [] }
        let json = try? JSONDocument(parsing: answer.body, limits: .document).root
        guard answer.field("Content-Type") == "application/problem+json",
            json?[member: "status"]?.integer == Int64(request.status)
        else {
            return ["expected a problem document that says \(request.status)"]
        }
        return []
    }

    private static func identity(_ request: DemoRequest, _ answer: PlainAnswer) -> [String] {
        guard let expected = request.identity else { return [] }
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
