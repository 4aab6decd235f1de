import JOSE
import KeySets

/// Reads the sources of an issuer's keys: `jwks_uri`, `jwks_file` or `keys`.
struct KeySourceReader {
    /// Names of the issuer's key sets. A single one may have the empty name.
    let names: [String]
    /// True if names that differ only in ASCII case are the same key set.
    var ignoresCase = false
    let permitsPlainHTTP: Bool
    var keyUse = KeyUse.signatures
    /// Algorithms of the issuer. Nil if they are not known, which was reported.
    let algorithms: SignatureAlgorithmSet?

    /// Most URLs or files in one list. A request with an unknown key ID has all of them fetched, so the list is
    /// bounded.
    static let longestList = 8

    /// Reads the sources of each key set. A key set without sources in the file gets an empty list. Nil if the file is
    /// invalid.
    func read(_ section: Section<IssuerKeys>) -> [[KeySetSource]]? {
        let written = [section[\.jwksURI], section[\.jwksFile], section[\.pemKeys]].compactMap(\.self)
        guard written.count <= 1 else {
            let names = written.compactMap(\.path.key).map { "`\($0)`" }
            let last = written.max { $0.keyPosition < $1.keyPosition }
            return last?.refuseMissing(
                "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "") exclude each other",
                hint: "keep one")
        }
        if let value = section[\.jwksFile] { return sources(value, example: "./keys.json", of: file) }
        if let value = section[\.pemKeys] { return PEMKeysReader(algorithms: algorithms).read(value).map { [$0] } }
        guard let value = section[\.jwksURI] else { return names.map { _ in [] } }
        return value.isList && names == [""] ? list(value) : sources(value, example: "https://…", of: url)
    }

    /// Reads several URLs for an issuer whose key sets have no names. Nil after an error, which is reported.
    private func list(_ value: Value) -> [[KeySetSource]]? {
        guard let elements = value.someElements(of: "URL") else { return nil }
        guard elements.count <= Self.longestList else {
            return value.refuse("names \(elements.count) URLs", hint: "write at most \(Self.longestList)")
        }
        var list: [KeySetSource] = []
        for element in elements {
            guard let source = url(element) else { continue }
            if list.contains(source) { element.report("`\(source)` stands twice", hint: "write it once") }
            list.append(source)
        }
        return list.count == elements.count ? [list] : nil
    }

    private func sources(_ value: Value, example: String, of read: (Value) -> KeySetSource?) -> [[KeySetSource]]? {
        let isNamed = names.count == 1 && names.first?.isEmpty == false && value.isMapping
        guard names.count > 1 || isNamed else { return read(value).map { [[$0]] } }
        guard value.isMapping else {
            if value.isUnusable { return nil }
            let mapping = names.map { "\($0): \(example)" }.joined(separator: ", ")
            return value.refuse(
                "this issuer has \(names.count) key sets, each with its own URL or file", hint: "write {\(mapping)}")
        }
        return mapping(value, of: read)
    }

    private func mapping(_ value: Value, of read: (Value) -> KeySetSource?) -> [[KeySetSource]]? {
        var sources = names.map { _ in Read<KeySetSource>.absent }
        var named: Set<Int> = []
        for member in value.members() ?? [] {
            let source = Read(read(member.value))
            guard let index = names.firstIndex(where: { isSame($0, member.key) }) else {
                member.reportKey("there is no key set `\(member.key)`", hint: hint(for: member.key))
                continue
            }
            if !named.insert(index).inserted { member.reportKey("`\(names[index])` stands twice") }
            sources[index] = source
        }
        for (index, name) in names.enumerated() where !named.contains(index) {
            value.reportMissing(
                "the key set `\(name)` is missing", hint: "the mapping is the complete list, so name each key set")
        }
        return sources.readEach { source in source.value.map { [$0] } }
    }

    private func isSame(_ name: String, _ written: String) -> Bool {
        guard ignoresCase else { return name.utf8.elementsEqual(written.utf8) }
        return name.lowercased().utf8.elementsEqual(written.lowercased().utf8)
    }

    private func hint(for name: String) -> String {
        NearestName.of(name, among: names).map { "did you mean `\($0)`?" }
            ?? "known here: \(names.joined(separator: ", "))"
    }

    // MARK: One source

    private func url(_ value: Value) -> KeySetSource? {
        guard let text = value.documentURL(permitsPlainHTTP: permitsPlainHTTP) else { return nil }
        guard !Self.isMetadata(text) else {
            return value.refuse(
                "`\(text)` is the issuer's metadata, not its key set",
                hint: "leave `jwks_uri` out, or write the `jwks_uri` that stands there")
        }
        return .jwkSetURL(text)
    }

    /// True if the URL has the path of a metadata document, which only names the key set (RFC 8414 §3, OpenID Connect
    /// Discovery §4).
    private static func isMetadata(_ url: String) -> Bool {
        let path = url.prefix { $0 != "?" }
        return path.hasSuffix("/.well-known/openid-configuration")
            || path.hasSuffix("/.well-known/oauth-authorization-server")
    }

    private func file(_ value: Value) -> KeySetSource? {
        guard let path = value.someText(expected: "a path") else { return nil }
        let resolved = value.reading.resolve(path)
        warnOfUnusable(value, path, at: resolved)
        return .file(path: resolved)
    }

    /// Warns if the file is not usable now. It is no error, because the file may still be written or fixed while the
    /// gateway runs.
    private func warnOfUnusable(_ value: Value, _ path: String, at resolved: String) {
        guard let file = value.keyFile(path, at: resolved, of: "this issuer's tokens") else { return }
        do throws(KeySetRejection) {
            _ = try KeySet(parsing: file.bytes.span, use: keyUse)
        } catch {
            value.warn("`\(path)` \(error)", hint: "until there is, \(Value.fate(of: "this issuer's tokens"))")
        }
    }
}

extension Value {
    /// Reads a file with keys. Nil if it cannot be read now, which is a warning.
    ///
    /// - Parameters:
    ///   - path: this value's text.
    ///   - tokens: the tokens that the keys in it verify, for the warning.
    func keyFile(_ path: String, at resolved: String, of tokens: String) -> FileOnDisk? {
        let hint = "until there is, \(Value.fate(of: tokens))"
        switch FileOnDisk.kind(at: resolved) {
        case .regular: break
        case .directory:
            warn("`\(path)` is a directory", hint: "name the file in it; as it is, \(Value.fate(of: tokens))")
            return nil
        case .other, nil:
            warn("there is no file `\(path)` now", hint: hint)
            return nil
        }
        guard let file = try? FileOnDisk(at: resolved, longest: KeySetLimits().bytes) else {
            warn("`\(path)` cannot be read now", hint: hint)
            return nil
        }
        return file
    }

    /// Consequence of a file without usable keys. At a reload, a gateway keeps the keys that it has read from there.
    fileprivate static func fate(of tokens: String) -> String {
        "\(tokens) are answered 503, unless the running gateway has the keys of before"
    }
}
