import KeySets
import NetworkNames
import TokenVerification

/// Reads `realms` and `most` of an issuer whose identifier has `{realm}`.
struct RealmsReader {
    let section: Section<IssuerKeys>

    /// Realms of an issuer as the file has them.
    struct Realms {
        let pattern: RealmPattern
        let most: Int
    }

    /// Longest list of realms. Each has a key set of its own.
    private static let longestList = 200

    /// Reads the realms. Nil for an issuer without realms, and after an error, which is reported.
    ///
    /// - Parameter identifier: the identifier as it is written. Nil or empty if it could not be read.
    func read(_ identifier: String?) -> Realms? {
        guard let identifier, !identifier.isEmpty else { return nil }
        guard identifier.contains(RealmPattern.placeholder) else {
            for value in [section[\.realms], section[\.most]] {
                value?.reportPlace(
                    "is for an issuer whose address has `\(RealmPattern.placeholder)`",
                    hint: "leave it out, or write such as `https://id.example.com/realms/{realm}` there")
            }
            return nil
        }
        guard permitsRealms(), let value = section[\.realms] else { return nil }
        guard let names = value.isMapping ? matching(value) : listed(value) else { return nil }
        guard let pattern = RealmPattern(identifier, names: names) else { return nil }
        if case .listed = names, let most = section[\.most] {
            most.reportPlace("is for `realms: {glob: …}`", hint: "leave it out: every listed realm has its place")
        }
        let most = section.read(\.most).value ?? RealmKeySetsConfiguration.usualMost
        return Realms(pattern: pattern, most: most)
    }

    /// Reports keys that an issuer with realms cannot have, and a missing `realms`.
    private func permitsRealms() -> Bool {
        for value in [section[\.jwksURI], section[\.jwksFile], section[\.pemKeys]] {
            value?.reportPlace(
                "cannot be said for several realms",
                hint: "leave it out: each realm's keys are found by discovery, at its own address")
        }
        if let opaque = section[\.opaque], opaque.isMapping {
            opaque.reportPlace(
                "cannot be said for several realms: an opaque token does not say which one it is of",
                hint: "write an issuer for each realm that has opaque tokens")
        }
        guard section[\.realms] == nil else { return true }
        section.value.reportMissing(
            "`realms` is missing", hint: "list the realms, such as [acme, globex], or write {glob: \"cust-*\"}")
        return false
    }

    private func listed(_ value: Value) -> RealmPattern.Names? {
        guard let elements = value.someElements(of: "realm") else { return nil }
        guard elements.count <= Self.longestList else {
            return value.refuse(
                "names \(elements.count) realms", hint: "write at most \(Self.longestList), or {glob: …}")
        }
        var names: [String] = []
        for element in elements {
            guard let name = element.someText(expected: "a realm's name") else { continue }
            guard RealmPattern.isName(name) else {
                element.report("`\(name)` cannot be the name of a realm", hint: Self.form)
                continue
            }
            if names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
                element.report("`\(name)` stands twice", hint: "write it once")
            }
            names.append(name)
        }
        return names.count == elements.count ? .listed(names) : nil
    }

    private static let form =
        "write 1 to \(RealmPattern.longestName) letters, digits, `.`, `_` and `-`, a letter or digit first"

    private func matching(_ value: Value) -> RealmPattern.Names? {
        guard let section = Section(value, of: RealmsKeys.self), let glob = section.required(\.glob) else { return nil }
        let names = RealmPattern.Names.matching(glob)
        guard RealmPattern("/" + RealmPattern.placeholder, names: names)?.exampleNames.isEmpty == false else {
            return section[\.glob]?.refuse("`\(glob)` matches no realm's name", hint: Self.form)
        }
        value.warn(
            "whoever can create a realm whose name matches becomes an issuer of this gateway",
            hint: "list the realms, unless creating one is as closely guarded as this file", weakens: .realms)
        return names
    }

    /// Judges an identifier with `{realm}`. Nil after an error, which is reported.
    static func judge(_ text: String, _ value: Value, permitsPlainHTTP: Bool) -> String? {
        guard let pattern = RealmPattern(text, names: .listed([])) else {
            return value.refuse(
                "`\(RealmPattern.placeholder)` is not one whole segment of the path",
                hint: "write such as `https://id.example.com/realms/\(RealmPattern.placeholder)`")
        }
        let example = pattern.issuer(of: "realm")
        guard let url = value.judgeURL(example, permitsPlainHTTP: permitsPlainHTTP) else { return nil }
        guard !url.target.contains("?"), url.text.utf8.elementsEqual(example.utf8),
            url.authority.utf8.elementsEqual(url.authority.lowercased().utf8)
        else {
            return value.refuse(
                "`\(text)` is not the plain address of an issuer",
                hint: "write it in lower case up to the path, and without `?` and what follows")
        }
        return text
    }
}

extension RealmsReader.Realms {
    /// Replaces an issuer's identifier and key set by those of the realms. Returns the key sets of listed realms, and
    /// the configuration of those that a pattern of names accepts. Nil for listed realms.
    ///
    /// - Parameter common: connection, times and limits of every realm's key set.
    func apply(to trusted: inout TrustedIssuer, common: KeySetConfiguration)
        -> (keySets: IndexedBy<KeySetIndex, KeySetConfiguration>, realms: RealmKeySetsConfiguration?)
    {
        trusted.realms = pattern
        guard case .listed(let names) = pattern.names else {
            trusted.identifiers = [IssuerIdentifier(pattern)]
            trusted.authorizationServers = []
            return ([], RealmKeySetsConfiguration(pattern: pattern, most: most, common: common))
        }
        let issuers = names.map(pattern.issuer)
        trusted.identifiers = issuers.enumerated().map { index, issuer in
            var identifier = IssuerIdentifier(issuer)
            identifier.keySet = KeySetIndex(index)
            return identifier
        }
        trusted.authorizationServers = issuers
        return (IndexedBy(names.map { common.at($0, of: pattern) }), nil)
    }
}

/// Configuration keys of `realms` in its mapping form.
final class RealmsKeys: SectionKeys {
    static let section = SectionReference(
        "realms", "The realms whose names match. The keys of a realm are fetched when a token first names it.",
        of: RealmsKeys.self)

    let glob = Key(
        "glob", KeyForm(.text("a pattern")) { $0.claimPattern() }, .refused(hint: "write {glob: \"cust-*\"}"),
        "`*` is one or more characters. The whole name must match.", example: "\"cust-*\"")
}
