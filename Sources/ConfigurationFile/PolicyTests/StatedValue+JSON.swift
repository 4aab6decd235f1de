import StrictJSON

extension StatedValue {
    /// Value as compact JSON.
    public var json: [UInt8] {
        switch self {
        case .null: Array("null".utf8)
        case .boolean(let truth): Array("\(truth)".utf8)
        case .integer(let number): Array("\(number)".utf8)
        case .real(let number): Array("\(number)".utf8)
        case .string(let text): text.serializedAsJSON
        case .array(let elements): Self.joined(elements.map(\.json), "[", "]")
        case .object(let members):
            Self.joined(members.map { $0.name.serializedAsJSON + Array(":".utf8) + $0.value.json }, "{", "}")
        }
    }

    private static func joined(_ parts: [[UInt8]], _ start: String, _ end: String) -> [UInt8] {
        Array(start.utf8) + Array(parts.joined(separator: Array(",".utf8))) + Array(end.utf8)
    }
}
