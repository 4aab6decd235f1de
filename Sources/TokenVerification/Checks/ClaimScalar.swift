import StrictJSON

/// A value that a claim can be required to have.
///
/// Compared by JSON type and value: the string `"1"`, the number `1` and `true` are three different things.
public enum ClaimScalar: Sendable, Hashable {
    case string(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)

    /// Strings by their bytes, as claims are compared with them.
    public static func == (left: ClaimScalar, right: ClaimScalar) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        default: false
        }
    }

    /// Whether the claim is this value; strings whole and case-sensitive, by their bytes.
    public func equals(_ claim: JSONValue) -> Bool {
        switch (self, claim.kind) {
        case (.string(let text), .string): claim.isString(equalTo: text)
        case (.integer(let number), .integer): claim.integer == number
        case (.integer(let number), .real): claim.comparableReal.flatMap { Int64(exactly: $0) } == number
        case (.real(let number), .integer): Int64(exactly: number).map { $0 == claim.integer } ?? false
        case (.real(let number), .real): claim.comparableReal == number
        case (.boolean(let truth), .boolean): claim.boolean == truth
        default: false
        }
    }

    /// Whether the claim, or an element of it when it is an array, is this value. Null and objects never are.
    public func isHeld(by claim: JSONValue) -> Bool {
        claim.kind == .array ? claim.elements.contains(where: equals) : equals(claim)
    }
}

extension ClaimScalar {
    /// The value as a claim at a path has it: an integer that identifies somebody or something is its digits there.
    public func asRead(at path: ClaimPath) -> ClaimScalar {
        if case .integer(let number) = self, path.isIdentifier { .string(String(number)) } else { self }
    }
}

extension JSONValue {
    /// A real as values are compared with it. An integer beyond 64 bits has none, and equals no value: a real can stand
    /// for many of them.
    public var comparableReal: Double? { isBeyondInteger ? nil : real }
}

extension ClaimScalar: CustomStringConvertible {
    public var description: String {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let truth): "\(truth)"
        }
    }
}
