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

    /// Every byte that a name can have. Those that it can begin with come first.
    static let nameBytes = Array("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-._".utf8)

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")].contains(byte)
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
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
        case .matching(let pattern): [RealmNameSearch([pattern]).first { $0 == [true] }].compactMap(\.self)
        }
    }

    /// Values of `iss` that tell the patterns from each other and from fixed values: of each listed realm, and for each
    /// set of patterns that one `iss` can match, of a realm that is neither listed nor fixed.
    ///
    /// - Parameter fixed: values of `iss` that stand for themselves.
    public static func examples(of patterns: [RealmPattern], besides fixed: [String]) -> [String] {
        var examples: [String] = []
        for (place, pattern) in patterns.enumerated() {
            if case .listed(let names) = pattern.names { examples += names.map(pattern.issuer) }
            // Patterns of another form have the name elsewhere, so they share one `iss` at most.
            examples += patterns.filter { !pattern.hasForm(of: $0) }.compactMap(pattern.common)
            guard !patterns[..<place].contains(where: pattern.hasForm) else { continue }
            let alike = patterns.filter(pattern.hasForm)
            let single = alike.flatMap(\.listed) + fixed.compactMap(pattern.named).map { Array($0.utf8) }
            let search = RealmNameSearch(alike.compactMap(\.glob), avoiding: Set(single))
            examples += search.names.map(pattern.issuer)
        }
        return examples.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private func hasForm(of other: RealmPattern) -> Bool { prefix == other.prefix && suffix == other.suffix }

    /// Pattern of the names. Nil if they are listed.
    private var glob: ClaimPattern? { if case .matching(let pattern) = names { pattern } else { nil } }

    private var listed: [[UInt8]] { if case .listed(let names) = names { names.map { Array($0.utf8) } } else { [] } }

    /// An `iss` that both patterns accept. Nil if there is none.
    public func common(with other: RealmPattern) -> String? {
        guard hasForm(of: other) else {
            return crossing(other) ?? other.crossing(self)
        }
        switch (names, other.names) {
        case (.listed(let own), _): return own.first(where: other.accepts).map(issuer)
        case (_, .listed(let others)): return others.first(where: accepts).map(issuer)
        case (.matching(let own), .matching(let others)):
            return RealmNameSearch([own, others]).first { $0 == [true, true] }.map(issuer)
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
