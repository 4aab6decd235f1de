import NetworkNames
import TokenVerification

extension FuzzTarget {
    /// Reads three lines: an address with `{realm}`, a pattern of names, and an `iss`. Checks that an accepted `iss` is
    /// the address of exactly one realm, that no URL reader sees another path in it, and that patterns agree with their
    /// examples.
    static func realm(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard lines.count == 3, let glob = try? ClaimPattern(lines[1]),
            let pattern = RealmPattern(lines[0], names: .matching(glob))
        else { return }
        require(pattern.description.utf8.elementsEqual(lines[0].utf8), "another address")
        judge(lines[2], pattern)
        for name in pattern.exampleNames {
            require(pattern.accepts(name), "an example that is not accepted")
            judge(pattern.issuer(of: name), pattern)
            require(pattern.realm(of: pattern.issuer(of: name)) == name, "an example of another realm")
            require(pattern.common(with: pattern) != nil, "a pattern that shares nothing with itself")
        }
        let examples = RealmPattern.examples(of: [pattern], besides: [lines[2]])
        require(examples.allSatisfy { pattern.realm(of: $0) != nil && $0 != lines[2] }, "a foreign example")
    }

    private static func judge(_ issuer: String, _ pattern: RealmPattern) {
        guard let realm = pattern.realm(of: issuer) else { return }
        require(RealmPattern.isName(realm), "a realm without a name")
        require(realm.utf8.count <= RealmPattern.longestName, "a name that is too long")
        require(pattern.issuer(of: realm).utf8.elementsEqual(issuer.utf8), "the address of another realm")
        require(issuer.utf8.starts(with: pattern.place(of: realm).utf8.dropLast()), "a place elsewhere")
        guard let url = HTTPURL(issuer), let general = HTTPURL(pattern.issuer(of: "realm")) else { return }
        require(url.authority == general.authority && url.scheme == general.scheme, "another origin")
        let slashes = { (url: HTTPURL) in url.target.utf8.count { $0 == UInt8(ascii: "/") } }
        require(slashes(url) == slashes(general), "another path")
    }
}
