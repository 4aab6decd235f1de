import StrictJSON

/// Location of a claim in a claims set, in one of three spellings.
///
/// A text that begins with `/` is a JSON Pointer (RFC 6901). One that contains `://` is the name of a top-level member
/// as written. In any other, each dot goes one level down.
public struct ClaimPath: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    /// The names of members and elements, from the claims set down.
    public let names: [String]

    public init(_ text: String) throws(ClaimPathRejection) {
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
    }

    /// One top-level member, whatever characters its name has.
    public init(member name: StaticString) {
        description = "\(name)"
        names = [description]
    }

    /// A way down, member by member, whatever characters the names have; shown as a JSON Pointer.
    public init(members first: String, _ inner: String...) {
        names = [first] + inner
        description = names.map {
            "/" + $0.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
        }
        .map { "/" + $0.dropFirst().split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1") }
        .joined()
    }

    /// Byte for byte, as names are looked up: Swift's strings are equal when they only look equal.
    public static func == (left: ClaimPath, right: ClaimPath) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
            && left.names.elementsEqual(right.names) { $0.utf8.elementsEqual($1.utf8) }
    }

    /// The claim at this path; nil if anything on the way is absent. What is null is absent.
    public func value(in claims: JSONValue) -> JSONValue? {
        var value = claims
        for name in names {
            guard let next = value.child(named: name) else { return nil }
            value = next
        }
        return value.isNull ? nil : value
    }

    /// Whether it leads to one of ``ClaimsSet/identifiers``.
    public var isIdentifier: Bool { names.count == 1 && ClaimsSet.identifiers.contains { "\($0)" == names.first } }

    /// Whether it is written with dots that each go one level down.
    public var isDotted: Bool { names.count > 1 && !description.hasPrefix("/") }

    /// The JSON Pointer of a claim whose name is the whole text, if the claims have that one and nothing at this path.
    /// Nil otherwise.
    public func pointerToWholeName(in claims: JSONValue) -> String? {
        guard isDotted, claims[description].map({ !$0.isNull }) == true, value(in: claims) == nil else { return nil }
        return "/" + description.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// Whether the claims have nothing that could be meant by this path.
    ///
    /// Not absent is also what may hide it: a value on the way that has no members, and a member whose name is several
    /// names of the path with the dots between them, or the whole text.
    public func isAbsent(in claims: JSONValue) -> Bool {
        guard claims[description]?.isNull ?? true else { return false }
        return isAbsent(names[...], in: claims)
    }

    /// - Parameter rest: the names that are not yet gone down.
    private func isAbsent(_ rest: ArraySlice<String>, in value: JSONValue) -> Bool {
        guard value.kind == .object, !rest.isEmpty else { return false }
        let longest = isDotted ? rest.count : 1
        return (1...longest).allSatisfy { count in
            guard let next = value[rest.prefix(count).joined(separator: ".")], !next.isNull else { return true }
            return isAbsent(rest.dropFirst(count), in: next)
        }
    }

    /// RFC 6901 §4: `~1` is `/`, then `~0` is `~`; a `~` before anything else is an error.
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
}

extension JSONValue {
    /// The member of an object, or the element of an array, that a name of a claim path denotes. Nil if there is none.
    public func child(named name: String) -> JSONValue? { self[name] ?? element(named: name) }

    /// The element of an array that a JSON Pointer's digits name (RFC 6901 §4): no leading zeros, no `-`.
    fileprivate func element(named name: String) -> JSONValue? {
        guard kind == .array, name == "0" || name.first != "0", name.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(name).flatMap { self[index: $0] }
    }
}
