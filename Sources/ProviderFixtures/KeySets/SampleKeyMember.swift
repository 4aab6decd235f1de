import StrictJSON

/// One member of a published JWK, and the source of its value.
enum SampleKeyMember: Sendable, Hashable {
    /// The member with this name of the complete JWK. Left out if the complete JWK has none.
    case own(String)
    /// The value of `kid` under another name.
    case keyIDAs(String)
    case text(String, String)
    case number(String, Int)

    func write(from complete: JSONValue, with writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        switch self {
        case .own(let name):
            if let value = complete[name] { writer.member(name, value: value, into: &bytes) }
        case .keyIDAs(let name):
            if let value = complete[member: "kid"] { writer.member(name, value: value, into: &bytes) }
        case .text(let name, let value): writer.member(name, string: value, into: &bytes)
        case .number(let name, let value): writer.member(name, integer: value, into: &bytes)
        }
    }
}
