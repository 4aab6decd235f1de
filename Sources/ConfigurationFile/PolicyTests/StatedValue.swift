import TokenVerification

/// JSON value as a file of tests states it.
public indirect enum StatedValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([StatedValue])
    case object([StatedMember])
}

/// Member of a JSON object.
public struct StatedMember: Sendable, Hashable {
    public var name: String
    public var value: StatedValue

    public init(_ name: String, _ value: StatedValue) {
        self.name = name
        self.value = value
    }
}

extension StatedValue {
    public init(_ scalar: ClaimScalar) {
        self =
            switch scalar {
            case .string(let text): .string(text)
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .boolean(let truth): .boolean(truth)
            }
    }
}

extension Value {
    /// Reads any JSON value. Plain numbers, `true`, `false` and `null` have their YAML meaning. Every other scalar is
    /// text. Invalid elements and members are reported and left out. Nil for any other invalid value, which is
    /// reported.
    func statedValue() -> StatedValue? {
        switch node.content {
        case .unusable: return nil
        case .sequence: return elements().map { .array($0.compactMap { $0.statedValue() }) }
        case .mapping: return statedMembers().map { .object($0) }
        case .scalar(let scalar):
            guard !scalar.isAbsent, !scalar.isNull else { return .null }
            return claimScalar().map { StatedValue($0) }
        }
    }

    /// Reads the members of a JSON object. Invalid members are reported and left out. Nil if the value is not a
    /// mapping, which is reported.
    func statedMembers() -> [StatedMember]? {
        members()?.compactMap { member in member.value.statedValue().map { StatedMember(member.key, $0) } }
    }
}
