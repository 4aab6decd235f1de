import StrictJSON
import TokenVerification

/// Questions about claims, indexed by path and value. A single walk over a claims set answers all of them, and its cost
/// depends on the token, not on the number of questions.
///
/// The answers equal those of ``ClaimPath/value(in:)`` and ``ClaimScalar/isHeld(by:)``.
public struct ClaimIndex<Answer: Sendable>: Sendable {
    /// Position in claims sets: the values asked about there, and the positions below it.
    private struct Node: Sendable {
        var answers: [ClaimKey: [Answer]] = [:]
        var children: [[UInt8]: Child] = [:]
    }

    private struct Child: Sendable {
        let name: String
        let node: Int
    }

    private var nodes = [Node()]

    public init() {}

    /// Adds a question: is the claim at this path one of these values, or an array that contains one?
    public mutating func insert(_ answer: Answer, at path: ClaimPath, oneOf values: [ClaimScalar]) {
        var node = 0
        for name in path.names { node = child(of: node, name) }
        for key in Set(values.map { ClaimKey($0) }) { nodes[node].answers[key, default: []].append(answer) }
    }

    private mutating func child(of node: Int, _ name: String) -> Int {
        let bytes = Array(name.utf8)
        if let child = nodes[node].children[bytes] { return child.node }
        nodes.append(Node())
        nodes[node].children[bytes] = Child(name: name, node: nodes.count - 1)
        return nodes.count - 1
    }

    /// Calls a function with the answer of each question that is true. It may be called more than once, for an array
    /// with several of the values.
    public func forEachAnswer(in claims: JSONValue, _ body: (Answer) -> Void) {
        walk(claims, 0, body)
    }

    private func walk(_ value: JSONValue, _ index: Int, _ body: (Answer) -> Void) {
        let node = nodes[index]
        if !node.answers.isEmpty {
            if value.kind == .array {
                for element in value.elements { answer(element, node, body) }
            } else {
                answer(value, node, body)
            }
        }
        guard !node.children.isEmpty else { return }
        // Iterate over the smaller side.
        if node.children.count <= value.count {
            for child in node.children.values {
                if let below = value.child(named: child.name) { walk(below, child.node, body) }
            }
        } else if value.kind == .object {
            for member in value.members { descend(to: member.value, Array(member.name.utf8), node, body) }
        } else {
            for (place, element) in value.elements.enumerated() {
                descend(to: element, Array("\(place)".utf8), node, body)
            }
        }
    }

    private func descend(to value: JSONValue, _ name: [UInt8], _ node: Node, _ body: (Answer) -> Void) {
        if let child = node.children[name] { walk(value, child.node, body) }
    }

    private func answer(_ value: JSONValue, _ node: Node, _ body: (Answer) -> Void) {
        guard let key = ClaimKey(value) else { return }
        for answer in node.answers[key] ?? [] { body(answer) }
    }
}

/// Value of a claim in a canonical form: equal values have equal keys.
private enum ClaimKey: Hashable {
    case text([UInt8])
    case integer(Int64)
    /// A number that is not an integer, or is beyond an `Int64`.
    case real(Double)
    case boolean(Bool)

    init(_ scalar: ClaimScalar) {
        self =
            switch scalar {
            case .string(let text): .text(Array(text.utf8))
            case .integer(let number): .integer(number)
            case .real(let number): Self.number(number)
            case .boolean(let truth): .boolean(truth)
            }
    }

    /// Nil for values that no scalar equals: null, an array, an object, an integer beyond 64 bits.
    init?(_ value: JSONValue) {
        switch value.kind {
        case .string: self = .text(Array((value.string ?? "").utf8))
        case .integer:
            guard let number = value.integer else { return nil }
            self = .integer(number)
        case .real:
            guard let number = value.comparableReal else { return nil }
            self = Self.number(number)
        case .boolean:
            guard let truth = value.boolean else { return nil }
            self = .boolean(truth)
        default: return nil
        }
    }

    private static func number(_ number: Double) -> Self {
        Int64(exactly: number).map { .integer($0) } ?? .real(number)
    }
}
