import StrictJSON

/// Value that a rule can require a claim to have.
///
/// Compared by JSON type and value: the string `"1"`, the number `1` and `true` are three different values.
public enum ClaimScalar: Sendable, Hashable {
    case string(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)

    /// Compares strings by their bytes, as ``equals(_:)`` does.
    public static func == (left: ClaimScalar, right: ClaimScalar) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        default: false
        }
    }

    /// True if the claim is this value. Strings are compared whole and by their bytes, so case matters.
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

    /// True if the claim is this value; for an array, if an element is. False for null and for objects.
    public func isHeld(by claim: JSONValue) -> Bool {
        claim.kind == .array ? claim.elements.contains(where: equals) : equals(claim)
    }
}

extension ClaimScalar {
    /// The value in the form in which a claim at this path is read: an integer becomes the string of its digits if the
    /// path leads to an identifier.
    public func asRead(at path: ClaimPath) -> ClaimScalar {
        if case .integer(let number) = self, path.isIdentifier { .string(String(number)) } else { self }
    }
}

extension JSONValue {
    /// The number as a real, for comparisons. Nil for an integer beyond 64 bits: many of them have the same real, so it
    /// equals no value.
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
