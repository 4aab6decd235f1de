import StrictJSON

/// Location of a claim in a claims set, in one of three spellings.
///
/// A text that begins with `/` is a JSON Pointer (RFC 6901). A text that contains `://` is the name of a top-level
/// member. In any other text, dots separate the names of nested members. Where it is permitted, a level `*` stands for
/// every element of an array.
public struct ClaimPath: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    /// Names of members and indices of elements, one for each level from the claims set down.
    public let names: [String]
    /// True if the path has a level `*`, so that it may lead to several claims.
    public let isMultiple: Bool

    /// Name of the level that stands for every element of an array.
    static let everyElement = "*"

    /// - Parameter permitsElements: whether a level may be `*`.
    public init(_ text: String, permitsElements: Bool = false) throws(ClaimPathRejection) {
        guard !text.isEmpty else { throw .empty }
        description = text
        names =
            if text.hasPrefix("/") {
                try Self.pointer(text)
            } else if text.contains("://") {
                [text]
            } else {
                text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            }
        guard text.hasPrefix("/") || !names.contains("") else { throw .emptyName }
        isMultiple = names.contains(Self.everyElement)
        guard !isMultiple || permitsElements else { throw .elements }
        guard names.first != Self.everyElement else { throw .elementsOfNothing }
    }

    /// Path of one top-level member, whose name may contain any characters.
    public init(member name: StaticString) {
        description = "\(name)"
        names = [description]
        isMultiple = false
    }

    /// Path of nested members, one name for each level. Names may contain any characters. The description is a JSON
    /// Pointer.
    public init(members first: String, _ inner: String...) {
        names = [first] + inner
        isMultiple = false
        description = names.map {
            "/" + $0.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
        }
        .map { "/" + $0.dropFirst().split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1") }
        .joined()
    }

    /// Compares byte for byte, as names are looked up. Swift's `==` would also equate strings that only look equal.
    public static func == (left: ClaimPath, right: ClaimPath) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
            && left.names.elementsEqual(right.names) { $0.utf8.elementsEqual($1.utf8) }
    }

    /// The claim at this path. Nil if anything on the way is absent, or if the path ``isMultiple``. A null claim counts
    /// as absent.
    public func value(in claims: JSONValue) -> JSONValue? {
        var value = claims
        for name in names {
            guard let next = value.child(named: name) else { return nil }
            value = next
        }
        return value.isNull ? nil : value
    }

    /// True if the path leads to one of ``ClaimsSet/identifiers``.
    public var isIdentifier: Bool { names.count == 1 && ClaimsSet.identifiers.contains { "\($0)" == names.first } }

    /// Names of the members at the top of a claims set that the path could mean.
    public var topLevelNames: [String] {
        guard isDotted else { return Array(names.prefix(1)) }
        return (1...names.count).map { names.prefix($0).joined(separator: ".") }
    }

    /// True if the path is written with dots, each of them one level down.
    public var isDotted: Bool { names.count > 1 && !description.hasPrefix("/") }

    /// JSON Pointer for a claim whose name is the whole text, dots included. Nil unless the claims have that claim, and
    /// none at this path. For advice about a wrong spelling.
    public func pointerToWholeName(in claims: JSONValue) -> String? {
        guard isDotted, claims[description].map({ !$0.isNull }) == true, value(in: claims) == nil else { return nil }
        return "/" + description.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// True if the claims contain nothing that this path could mean.
    ///
    /// False also if something may hide the claim: a value on the way that has no members, or a member whose name is
    /// several names of the path joined by dots, or the whole text.
    public func isAbsent(in claims: JSONValue) -> Bool {
        guard claims[description]?.isNull ?? true else { return false }
        return isAbsent(names[...], in: claims)
    }

    /// - Parameter rest: the names of the levels below `value`.
    private func isAbsent(_ rest: ArraySlice<String>, in value: JSONValue) -> Bool {
        if rest.first == Self.everyElement, isMultiple {
            return value.kind == .array
                && value.elements.allSatisfy { $0.isNull || rest.count > 1 && isAbsent(rest.dropFirst(), in: $0) }
        }
        guard value.kind == .object, !rest.isEmpty else { return false }
        let longest = isDotted ? rest.count : 1
        return (1...longest).allSatisfy { count in
            guard let next = value[rest.prefix(count).joined(separator: ".")], !next.isNull else { return true }
            return isAbsent(rest.dropFirst(count), in: next)
        }
    }

    /// Splits a JSON Pointer (RFC 6901 §4): `~1` is `/`, then `~0` is `~`. A `~` before any other character is an
    /// error.
    private static func pointer(_ text: String) throws(ClaimPathRejection) -> [String] {
        var names: [String] = []
        for token in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            var name = ""
            var escaped = false
            for character in token {
                switch (escaped, character) {
                case (false, "~"): escaped = true
                case (false, _): name.append(character)
                case (true, "0"): (name, escaped) = (name + "~", false)
                case (true, "1"): (name, escaped) = (name + "/", false)
                case (true, _): throw .invalidPointer
                }
            }
            guard !escaped else { throw .invalidPointer }
            names.append(name)
        }
        return names
    }
}

/// Reason why a text is not a claim path.
public enum ClaimPathRejection: Error, Hashable, Sendable {
    case empty
    case emptyName
    case invalidPointer
    /// A level is `*` where one claim is meant.
    case elements
    /// The first level is `*`.
    case elementsOfNothing
}

extension JSONValue {
    /// The member of an object, or the element of an array, that a name of a claim path denotes. Nil if there is none.
    public func child(named name: String) -> JSONValue? { self[name] ?? element(named: name) }

    /// The element of an array whose index is these digits, as in a JSON Pointer (RFC 6901 §4): no leading zeros, no
    /// `-`. Nil for any other name, beyond the end of the array, and if the value is no array.
    fileprivate func element(named name: String) -> JSONValue? {
        guard kind == .array, name == "0" || name.first != "0", name.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(name).flatMap { self[index: $0] }
    }
}
