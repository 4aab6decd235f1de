import AccessControl
import HTTPMessages
import TokenVerification

/// Response fields that a resource or a rule sets and removes.
public struct ResponseEdits: Sendable, Hashable {
    /// Values of the fields that are set. They replace those of the upstream.
    public var set: [ResponseFieldName: [UInt8]]
    /// Fields of the upstream that are removed.
    public var removed: Set<ResponseFieldName>

    public init(set: [ResponseFieldName: [UInt8]] = [:], removed: Set<ResponseFieldName> = []) {
        self.set = set
        self.removed = removed
    }

    public var isEmpty: Bool { self.set.isEmpty && removed.isEmpty }

    /// These edits, and those of the other for the fields that these do not name.
    public func over(_ other: ResponseEdits) -> ResponseEdits {
        ResponseEdits(
            set: set.merging(other.set.filter { !removed.contains($0.key) }, uniquingKeysWith: { own, _ in own }),
            removed: removed.union(other.removed.filter { set[$0] == nil }))
    }
}

extension ProtectedResource {
    /// Response edits of a rule: its own, and those of the resource for other fields.
    ///
    /// - Parameter rule: index of the rule. Nil for requests without a rule.
    public func responseEdits(of rule: RuleIndex?) -> ResponseEdits {
        guard let rule, let own = ruleResponseEdits[rule] else { return responseEdits }
        return own.over(responseEdits)
    }
}

/// Response edits of one rule, with the fields that are set written in advance. A class, so that responses share it.
public final class PreparedResponseEdits: Sendable {
    /// Names that are dropped from responses of the upstream: those removed, and those set.
    private let dropped: [FieldName]
    /// Hashes of these names, as a filter before the bytes are compared.
    private let hashes: Set<UInt32>
    private let ofUpstream: PreparedFields?
    private let ofGateway: PreparedFields?

    /// Nil if nothing is edited.
    init?(_ edits: ResponseEdits) {
        guard !edits.isEmpty else { return nil }
        let inOrder = ResponseFieldName.allCases
        dropped = inOrder.filter { edits.removed.contains($0) || edits.set[$0] != nil }.map {
            FieldName(fixed: $0.name)
        }
        hashes = Set(dropped.map(\.hash))
        let set = inOrder.compactMap { name in edits.set[name].map { (field: name, value: $0) } }
        ofUpstream = PreparedFields(set.map { (name: $0.field.name, value: $0.value) })
        ofGateway = PreparedFields(
            set.filter { $0.field.isForOwnAnswers }.map { (name: $0.field.name, value: $0.value) })
    }

    /// True if a field of the upstream's response is dropped.
    public func drops(_ field: HeaderField, of head: ResponseHead) -> Bool {
        guard hashes.contains(field.nameHash) else { return false }
        return dropped.contains { head.isNamed(field, $0) }
    }

    /// Writes the fields that are set into a response of the upstream.
    public func write(into head: inout some HeadOutput) {
        if let ofUpstream { head.fields(ofUpstream) }
    }

    /// Writes the fields that are set into an answer of the gateway's own.
    func writeOwn(into head: inout some HeadOutput) {
        if let ofGateway { head.fields(ofGateway) }
    }
}
