import JOSE
import KeySets
import TokenVerification

/// The issuers of the file, and those that were meant to be: a name with mistakes below it is known all the same.
struct NamedIssuers {
    fileprivate(set) var names: [String] = []
    /// By name; nil where the issuer has errors.
    fileprivate(set) var configured: [ConfiguredIssuer?] = []

    func index(of name: String) -> Int? {
        names.firstIndex(of: name)
    }
}

/// Reads `issuers`.
struct IssuersReader {
    private static let keys = [
        "profile", "issuer", "jwks_uri", "jwks_file", "algorithms", "token_type", "scope_claims", "role_claims", "client_claims", "leeway",
        "max_lifetime", "allow_missing_kid", "denied_keys", "ca_file", "plain_http",
    ]
    private static let tokenTypes = "`at+jwt` (RFC 9068), `any`, or `{claim: NAME, value: VALUE}`"

    private var issuers = NamedIssuers()
    private var identifiers: [String: (name: String, position: Position)] = [:]

    static func read(_ value: Value?, waitingLimit: Int) -> NamedIssuers {
        guard let members = value?.members(expected: "a mapping of names to issuers") else { return NamedIssuers() }
        var reader = IssuersReader()
        for member in members {
            if member.key.isEmpty { member.reportKey("an issuer's name must not be empty") }
            reader.issuers.names.append(member.key)
            reader.issuers.configured.append(reader.issuer(member, waitingLimit: waitingLimit))
        }
        return reader.issuers
    }

    private mutating func issuer(_ member: Value.Member, waitingLimit: Int) -> ConfiguredIssuer? {
        guard let section = Self.section(member.value) else { return nil }
        let permitsPlainHTTP = section["plain_http"]?.boolean() ?? false
        let identifier = identifier(section, name: member.key, permitsPlainHTTP)
        let source = Self.source(section, identifier: identifier, permitsPlainHTTP)
        let algorithms = Self.algorithms(section["algorithms"])
        let tokenType = section.required("token_type", hint: "write \(Self.tokenTypes)").flatMap(Self.tokenType)
        let caFile = section["ca_file"].flatMap(Self.caFile)
        Self.warnOfPlainHTTP(section["plain_http"], permitsPlainHTTP, identifier, source)
        // The rest is read even if something is missing by now, for its problems.
        var trusted = TrustedIssuer(
            name: member.key, identifier: identifier ?? "", algorithms: algorithms ?? [.rs256, .es256],
            tokenType: tokenType ?? .accessTokenJWT,
        )
        Self.readRest(section, into: &trusted)
        guard identifier != nil, let source, algorithms != nil, tokenType != nil else { return nil }
        var keys = KeySetConfiguration(source: source, issuer: trusted.identifier, caFile: caFile, allowsPlainHTTP: permitsPlainHTTP)
        keys.waitingLimit = waitingLimit
        return ConfiguredIssuer(trusted: trusted, keySets: [keys])
    }

    /// A profile's keys are its own, so nothing more is said about them.
    private static func section(_ value: Value) -> Section? {
        if value.isMapping, let profile = value.members()?.first(where: { $0.key == "profile" }) {
            profile.reportKey("profiles are not supported yet", hint: "write `issuer`, `algorithms` and `token_type`")
            return nil
        }
        return Section(value, keys: keys)
    }

    // MARK: Addresses

    private mutating func identifier(_ section: Section, name: String, _ permitsPlainHTTP: Bool) -> String? {
        guard let value = section.required("issuer", hint: "write the `iss` of its tokens, such as `https://id.example.com`") else {
            return nil
        }
        guard let text = value.someText(expected: "the `iss` of its tokens") else { return nil }
        guard let url = Self.url(text, in: value, permitsPlainHTTP) else { return nil }
        guard !url.target.contains("?") else {
            value.report("an issuer has no query (RFC 8414 §2)")
            return nil
        }
        if let first = identifiers[text] {
            value.report("the issuer `\(text)` is already `\(first.name)` at \(first.position)", hint: "one name can serve many resources")
            return nil
        }
        identifiers[text] = (name, value.node.position)
        return text
    }

    private static func source(_ section: Section, identifier: String?, _ permitsPlainHTTP: Bool) -> KeySetSource? {
        if let file = section["jwks_file"] {
            if let other = section["jwks_uri"] {
                let later = max(file.keyPosition, other.keyPosition) == file.keyPosition ? file : other
                later.reportMissing("`jwks_uri` and `jwks_file` exclude each other", hint: "keep one")
                return nil
            }
            guard let path = file.someText(expected: "a path") else { return nil }
            let resolved = file.reading.resolve(path)
            warnOfUnusable(file, path, at: resolved)
            return .file(path: resolved)
        }
        if let value = section["jwks_uri"] {
            guard let text = value.someText(expected: "a URL") else { return nil }
            return url(text, in: value, permitsPlainHTTP).map { _ in .jwkSetURL(text) }
        }
        return identifier.map { .discovery(issuer: $0) }
    }

    /// The file may still be written or mended while the gateway runs, so nothing here is an error.
    private static func warnOfUnusable(_ value: Value, _ path: String, at resolved: String) {
        let hint = "until there is, this issuer's tokens are answered 503"
        guard FileOnDisk.exists(at: resolved) else { return value.warn("there is no file `\(path)` now", hint: hint) }
        let file = try? FileOnDisk(at: resolved, longest: KeySetLimits().bytes)
        guard let file, (try? KeySet(parsing: file.bytes.span)) != nil else {
            return value.warn("`\(path)` holds no key set with a usable key now", hint: hint)
        }
    }

    /// https, or http to this machine, or http by permission.
    private static func url(_ text: String, in value: Value, _ permitsPlainHTTP: Bool) -> DocumentURL? {
        guard !text.contains("@") else {
            // Not shown: what stands before the sign may be a password.
            value.report("a URL here has no user name, no password and no `@`")
            return nil
        }
        guard let url = DocumentURL(text) else {
            value.report("`\(text)` is not a URL", hint: "write `https://host/path`, without a fragment")
            return nil
        }
        guard url.scheme == .https || url.namesLoopback || permitsPlainHTTP else {
            value.report("plain http is refused outside this machine", hint: "write `https://`, or say `plain_http: true` on this issuer")
            return nil
        }
        return url
    }

    private static func caFile(_ value: Value) -> String? {
        guard let path = value.someText(expected: "a path") else { return nil }
        let resolved = value.reading.resolve(path)
        guard FileOnDisk.exists(at: resolved) else {
            value.report("there is no file `\(path)`")
            return nil
        }
        let text = (try? FileOnDisk(at: resolved, longest: 1 << 22)).map { String(decoding: $0.bytes, as: UTF8.self) }
        guard text?.contains("-----BEGIN CERTIFICATE-----") == true else {
            value.report("`\(path)` holds no PEM certificate")
            return nil
        }
        return resolved
    }

    private static func warnOfPlainHTTP(_ value: Value?, _ permits: Bool, _ identifier: String?, _ source: KeySetSource?) {
        guard let value, permits else { return }
        var addresses = [identifier]
        if case .jwkSetURL(let url) = source { addresses.append(url) }
        let isPlain = addresses.contains { text in
            guard let url = text.flatMap(DocumentURL.init) else { return false }
            return url.scheme == .http && !url.namesLoopback
        }
        if isPlain {
            value.warn("this issuer's keys come over plain http: whoever is on the way can replace them")
        } else {
            value.warn("`plain_http` has no effect: none of this issuer's addresses needs it")
        }
    }

    // MARK: Tokens

    private static func algorithms(_ value: Value?) -> SignatureAlgorithmSet? {
        guard let value else { return [.rs256, .es256] }
        guard let elements = value.someElements(of: "algorithm") else { return nil }
        var set = SignatureAlgorithmSet()
        var isComplete = true
        for element in elements {
            if let algorithms = algorithm(element) { set.formUnion(algorithms) } else { isComplete = false }
        }
        return isComplete ? set : nil
    }

    private static func algorithm(_ value: Value) -> SignatureAlgorithmSet? {
        guard let name = value.someText() else { return nil }
        if let algorithms = SignatureAlgorithmSet(name: name) { return algorithms }
        let upper = name.uppercased()
        if upper == "NONE" {
            value.report("`\(name)` is never accepted: anyone can make unsigned tokens")
        } else if upper.hasPrefix("HS") {
            value.report(
                "`\(name)` is never accepted: whoever can verify such a token can also make one", hint: "use RS256, PS256, ES256 or EdDSA")
        } else {
            let known = SignatureAlgorithm.allCases.map(\.rawValue) + ["EdDSA"]
            let hint = NearestName.of(name, among: known).map { "did you mean `\($0)`?" } ?? "known: \(known.joined(separator: ", "))"
            value.report("`\(name)` is not a known algorithm", hint: hint)
        }
        return nil
    }

    private static func tokenType(_ value: Value) -> TokenTypeRule? {
        guard !value.isMapping else { return claimRule(value) }
        guard let text = value.text(expected: tokenTypes) else { return nil }
        switch text {
        case "at+jwt": return .accessTokenJWT
        case "any": return .any
        default:
            value.report("`\(text)` is not known here", hint: "write \(tokenTypes)")
            return nil
        }
    }

    private static func claimRule(_ value: Value) -> TokenTypeRule? {
        guard let section = Section(value, keys: ["claim", "value"]) else { return nil }
        let claim = section.required("claim", hint: "name the claim that tells access tokens from others")?.claimPath()
        guard let values = section.required("value", hint: "write what the claim must be")?.someElements(of: "value") else { return nil }
        let scalars = values.compactMap { $0.claimScalar() }
        guard let claim, scalars.count == values.count else { return nil }
        return .claims([.oneOf(claim, scalars)])
    }

    private static func readRest(_ section: Section, into trusted: inout TrustedIssuer) {
        if let claims = claims(section["scope_claims"]) { trusted.scopeClaims = claims }
        if let claims = claims(section["role_claims"]) { trusted.roleClaims = claims.map { RoleClaim($0) } }
        if let claims = claims(section["client_claims"]) { trusted.clientClaims = claims }
        if let leeway = section["leeway"]?.duration(in: .zero ... .seconds(300)) { trusted.leeway = leeway }
        trusted.maxLifetime = section["max_lifetime"]?.duration(in: .seconds(1) ... .seconds(10 * 365 * 86_400))
        trusted.allowsMissingKeyID = section["allow_missing_kid"]?.boolean() ?? false
        trusted.deniedKeyIDs = Set(section["denied_keys"]?.elements()?.compactMap { $0.someText() } ?? [])
    }

    private static func claims(_ value: Value?) -> [ClaimPath]? {
        value?.someElements(of: "claim")?.compactMap { $0.claimPath() }
    }
}
