/// Pattern of the `iss` values of one issuer's realms: a realm is an issuer of its own, with keys of its own, whose
/// name is one path segment of its `iss`.
///
/// A realm's name is 1 to 64 letters, digits, `.`, `_` and `-`, and begins with a letter or digit. Whether the issuer
/// has a realm of that name is *not* checked here.
public struct RealmPattern: Sendable, Hashable, CustomStringConvertible {
    /// Realms that are accepted.
    public enum Names: Sendable, Hashable {
        case listed([String])
        /// Every realm whose name matches. Whoever can create one becomes an issuer.
        case matching(ClaimPattern)
    }

    /// Text that stands for the realm's name.
    public static let placeholder = "{realm}"
    /// Greatest length of a realm's name, in bytes.
    public static let longestName = 64

    private let prefix: String
    private let suffix: String
    public let names: Names

    /// Reads a text with ``placeholder`` as a whole path segment. Nil if it does not stand there exactly once.
    public init?(_ text: String, names: Names) {
        let parts = text.split(separator: Self.placeholder, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.last == UInt8(ascii: "/") else { return nil }
        guard parts[1].isEmpty || parts[1].utf8.first == UInt8(ascii: "/") else { return nil }
        prefix = String(parts[0])
        suffix = String(parts[1])
        self.names = names
    }

    /// The pattern, with ``placeholder`` instead of the realm's name.
    public var description: String { issuer(of: Self.placeholder) }

    /// The `iss` of a realm.
    public func issuer(of realm: String) -> String { prefix + realm + suffix }

    /// URL below which a realm's key set must be: the pattern up to and with the realm.
    public func place(of realm: String) -> String { prefix + realm + "/" }

    /// The realm whose `iss` this is. Nil if it is of no realm that the pattern accepts.
    public func realm(of issuer: String) -> String? {
        named(by: issuer).flatMap { accepts($0) ? $0 : nil }
    }

    /// The realm that an `iss` names, whether it is accepted or not. Nil if the `iss` has another form.
    private func named(by issuer: String) -> String? {
        let bytes = issuer.utf8
        guard bytes.count > prefix.utf8.count + suffix.utf8.count, bytes.starts(with: prefix.utf8) else { return nil }
        guard bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) else { return nil }
        return String(bytes.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
    }

    /// True if tokens of the realm are accepted. The name is compared byte for byte.
    public func accepts(_ realm: String) -> Bool {
        guard Self.isName(realm) else { return false }
        return switch names {
        case .listed(let names): names.contains { $0.utf8.elementsEqual(realm.utf8) }
        case .matching(let pattern): pattern.matches(realm.utf8.span)
        }
    }

    /// True if a text can be the name of a realm.
    public static func isName(_ text: String) -> Bool {
        guard (1...longestName).contains(text.utf8.count), let first = text.utf8.first, isLetterOrDigit(first) else {
            return false
        }
        return text.utf8.allSatisfy(isNameByte)
    }

    fileprivate static func isNameByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")].contains(byte)
    }

    fileprivate static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Names of realms that the pattern accepts: all listed ones, or a shortest one that matches. Empty if no name
    /// matches.
    public var exampleNames: [String] {
        switch names {
        case .listed(let names): names
        case .matching(let pattern): [pattern.shortestName(with: pattern)].compactMap(\.self)
        }
    }

    /// Values of `iss` that tell this pattern from others: of an example, and of one that each other does not accept.
    public func examples(besides others: [RealmPattern]) -> [String] {
        let names = exampleNames + others.compactMap(name)
        return names.reduce(into: []) { if !$0.contains(issuer(of: $1)) { $0.append(issuer(of: $1)) } }
    }

    /// A realm that this pattern accepts and the other does not. Nil if there is none.
    private func name(not other: RealmPattern) -> String? {
        guard prefix == other.prefix, suffix == other.suffix else { return exampleNames.first }
        switch (names, other.names) {
        case (.listed(let own), _): return own.first { !other.accepts($0) }
        case (.matching(let own), .matching(let others)): return own.shortestName(with: others, isMatched: false)
        case (.matching, .listed(let listed)):
            // Longer and longer names: one more than there are in the list.
            let longer = (0...listed.count).lazy.compactMap { length in
                exampleNames.first.map { $0 + String(repeating: "x", count: length) }
            }
            return longer.first { accepts($0) && !other.accepts($0) }
        }
    }

    /// An `iss` that both patterns accept. Nil if there is none.
    public func common(with other: RealmPattern) -> String? {
        guard prefix == other.prefix, suffix == other.suffix else {
            return crossing(other) ?? other.crossing(self)
        }
        switch (names, other.names) {
        case (.listed(let own), _): return own.first(where: other.accepts).map(issuer)
        case (_, .listed(let others)): return others.first(where: accepts).map(issuer)
        case (.matching(let own), .matching(let others)): return own.shortestName(with: others).map(issuer)
        }
    }

    /// An `iss` of this pattern whose realm is the other pattern's literal text at that segment, if both accept it. Nil
    /// if they do not.
    private func crossing(_ other: RealmPattern) -> String? {
        let segment = prefix.utf8.count { $0 == UInt8(ascii: "/") }
        let segments = other.description.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.indices.contains(segment) else { return nil }
        let issuer = issuer(of: String(segments[segment]))
        return realm(of: issuer) != nil && other.realm(of: issuer) != nil ? issuer : nil
    }
}

extension ClaimPattern {
    /// A shortest name of a realm that this pattern matches and the other matches too, or does not match. Nil if there
    /// is none.
    fileprivate func shortestName(with other: ClaimPattern, isMatched: Bool = true) -> String? {
        struct Reached: Hashable {
            let own: Progress
            /// Nil if no longer text that begins this way matches.
            let other: Progress?
        }
        // Each element matches at least one byte.
        guard elements.count <= RealmPattern.longestName else { return nil }
        let alphabet = nameBytes(with: other)
        var seen: Set<Reached> = []
        var names: [(bytes: [UInt8], reached: Reached)] = [([], Reached(own: start, other: other.start))]
        for _ in 0..<RealmPattern.longestName {
            var longer: [(bytes: [UInt8], reached: Reached)] = []
            for (bytes, reached) in names {
                for byte in alphabet where !bytes.isEmpty || RealmPattern.isLetterOrDigit(byte) {
                    guard let own = advanced(reached.own, over: byte) else { continue }
                    let next = Reached(own: own, other: reached.other.flatMap { other.advanced($0, over: byte) })
                    if own.isMatched, next.other?.isMatched ?? false == isMatched {
                        return String(decoding: bytes + [byte], as: UTF8.self)
                    }
                    if seen.insert(next).inserted { longer.append((bytes + [byte], next)) }
                }
            }
            names = longer
        }
        return nil
    }

    /// Bytes of names that the patterns distinguish: each that is a literal of one, and one other.
    private func nameBytes(with other: ClaimPattern) -> [UInt8] {
        var literals: Set<UInt8> = []
        for case .byte(let byte) in elements + other.elements where RealmPattern.isNameByte(byte) {
            literals.insert(byte)
        }
        let another = (UInt8(ascii: "a")...UInt8(ascii: "z")).first { !literals.contains($0) }
        return [another].compactMap(\.self) + literals.sorted()
    }
}
