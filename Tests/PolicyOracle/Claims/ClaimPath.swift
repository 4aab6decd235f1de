/// A claim's name or path: `dep`, `realm.level`, or a JSON Pointer (RFC 6901) such as `/dep.x`.
public struct ClaimPath: Hashable, Sendable {
    public let text: String
    /// Names of the members on the way, outermost first.
    public let names: [String]

    public init(_ text: String) {
        self.text = text
        names =
            text.hasPrefix("/")
            ? text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
                String($0).replacing("~1", with: "/").replacing("~0", with: "~")
            }
            : text.split(separator: ".").map(String.init)
    }

    /// True if a level is `*`: every element of an array.
    public var hasElements: Bool { names.contains("*") }

    /// The claims of all elements, and whether each element has one. Without `*` in the path, the claim.
    func found(in claims: [String: JSON]) -> (values: [JSON], isEverywhere: Bool) {
        Self.found(names[...], in: .object(claims))
    }

    private static func found(_ names: ArraySlice<String>, in value: JSON) -> (values: [JSON], isEverywhere: Bool) {
        switch (names.first, value) {
        case (nil, .null): return ([], false)
        case (nil, _): return ([value], true)
        case ("*"?, .array(let elements)):
            let all = elements.map { found(names.dropFirst(), in: $0) }
            return (all.flatMap(\.values), all.allSatisfy(\.isEverywhere))
        case (let name?, .object(let members)) where name != "*":
            return members[name].map { found(names.dropFirst(), in: $0) } ?? ([], false)
        default: return ([], false)
        }
    }

    /// The claim's value. Nil if it is absent or null, and for members of objects in an array.
    func value(in claims: [String: JSON]) -> JSON? {
        var value = JSON.object(claims)
        for name in names {
            guard case .object(let members) = value, let member = members[name] else { return nil }
            value = member
        }
        return value == .null ? nil : value
    }

    /// True if no spelling of the path finds a claim, and nothing on the way can hide one.
    func isAbsent(from claims: [String: JSON]) -> Bool {
        Self.isAbsent(names[...], from: claims)
    }

    private static func isAbsent(_ names: ArraySlice<String>, from array: JSON) -> Bool {
        switch (array, names.first) {
        case (.null, _): true
        case (_, nil): false
        case (.array(let elements), "*"?): elements.allSatisfy { isAbsent(names.dropFirst(), from: $0) }
        case (.object(let members), let name?) where name != "*": isAbsent(names, from: members)
        default: false
        }
    }

    private static func isAbsent(_ names: ArraySlice<String>, from members: [String: JSON]) -> Bool {
        (1...names.count).allSatisfy { count in
            switch members[names.prefix(count).joined(separator: ".")] {
            case nil, .null?: true
            case .object(let inner)? where count < names.count && names[names.startIndex + count] != "*":
                isAbsent(names.dropFirst(count), from: inner)
            case .array(let elements)? where count < names.count && names[names.startIndex + count] == "*":
                isAbsent(names.dropFirst(count), from: JSON.array(elements))
            case .boolean?, .integer?, .number?, .text?, .array?, .object?: false
            }
        }
    }

    /// True for claims that identify someone: an integer there is read as its digits.
    var isIdentifier: Bool {
        ["sub", "oid", "jti", "sid", "client_id", "azp", "cid", "appid"].contains { [$0] == names }
    }
}
