import StrictJSON
import TokenVerification

/// What is asked of claims, by path and value: one walk over a claims set answers all of it, and costs what the token
/// holds, however much is asked.
///
/// It answers as ``ClaimPath/value(in:)`` and ``ClaimScalar/isHeld(by:)`` do.
public struct ClaimIndex<Answer: Sendable>: Sendable {
    /// A place in claims sets: what may stand there, and the places below it.
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

    /// Asks whether the claim at a path has, or holds as an array, one of these values.
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

    /// Calls a function with each answer that is yes; with an array that holds several of the values, more than once.
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
        // Either side may be the smaller one.
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

/// A claim's value in the one form that equal values have.
private enum ClaimKey: Hashable {
    case text([UInt8])
    case integer(Int64)
    /// One that is no whole number, or beyond an `Int64`.
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

    /// Nil for what no scalar equals: null, an array, an object, an integer beyond 64 bits.
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
