/// A claim that `claims` or `not` names, with the values listed for it.
public struct ClaimDemand: Hashable, Sendable {
    /// A value of the file.
    public enum Value: Hashable, Sendable {
        case text(String)
        case integer(Int)
        /// A number with a fraction, as it is spelled.
        case number(String)
        case boolean(Bool)
        case pattern(ClaimPattern)
    }

    /// Types that a value of a token can be compared by.
    private enum Kind { case text, number, boolean }

    public let path: ClaimPath
    public let values: [Value]

    public init(_ path: String, _ values: [Value]) {
        self.path = ClaimPath(path)
        self.values = values
    }

    /// True if the claim is, or as an array contains, one of the values.
    func holds(for claims: [String: JSON]) -> Bool {
        guard let elements = elements(in: claims) else { return false }
        return elements.contains(where: isListed)
    }

    /// True if the claim is present, comparable, and neither is nor contains one of the values.
    func isSomethingElse(in claims: [String: JSON]) -> Bool {
        guard let elements = elements(in: claims, ofEach: true) else { return false }
        let kinds = Set(values.map(kind))
        return elements.allSatisfy { element in
            Self.kind(of: element).map(kinds.contains) == true && !isListed(element)
        }
    }

    /// Values that are compared. Nil if the claim is absent, or if an element has none where each must have one.
    private func elements(in claims: [String: JSON], ofEach: Bool = false) -> [JSON]? {
        if path.hasElements {
            let found = path.found(in: claims)
            guard found.isEverywhere || !ofEach else { return nil }
            return found.values.flatMap { if case .array(let inner) = $0 { inner } else { [$0] } }
        }
        guard let value = path.value(in: claims) else { return nil }
        if case .array(let elements) = value { return elements }
        if path.isIdentifier, case .integer(let number) = value { return [.text("\(number)")] }
        return [value]
    }

    private func isListed(_ element: JSON) -> Bool {
        values.contains { listed in
            switch (listed, element) {
            case (.text(let listed), .text(let text)): listed.utf8.elementsEqual(text.utf8)
            case (.integer(let listed), .text(let text)): path.isIdentifier && "\(listed)" == text
            case (.pattern(let pattern), .text(let text)): pattern.matches(text)
            case (.integer(let listed), .integer(let number)): listed == number
            case (.integer(let listed), .number): element.value == Double(listed)
            case (.number(let listed), .integer), (.number(let listed), .number): element.value == Double(listed)
            case (.boolean(let listed), .boolean(let value)): listed == value
            case (.text, _), (.pattern, _), (.integer, _), (.number, _), (.boolean, _): false
            }
        }
    }

    private func kind(of value: Value) -> Kind {
        switch value {
        case .text, .pattern: .text
        case .integer: path.isIdentifier ? .text : .number
        case .number: .number
        case .boolean: .boolean
        }
    }

    private static func kind(of element: JSON) -> Kind? {
        switch element {
        case .text: .text
        case .integer, .number: .number
        case .boolean: .boolean
        case .null, .array, .object: nil
        }
    }
}
