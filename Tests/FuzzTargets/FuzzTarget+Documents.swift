import AccessControl
import ConfigurationFile
import JOSE
import ProxySettings
import StrictJSON
import TokenVerification

extension FuzzTarget {
    /// Checks that an accepted token is exactly one run of token68 characters.
    static func credentials(_ bytes: [UInt8]) {
        guard case .token(let range) = BearerCredentials(bytes.span) else { return }
        require(
            range.lowerBound >= 7 && range.upperBound <= bytes.count && !range.isEmpty, "the token is not in the value")
        let characters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=".utf8)
        require(bytes[range].allSatisfy { characters.contains($0) }, "a character that no token has")
        // The token used for the cache lookup must be the same, or there is no lookup.
        if let presumed = BearerCredentials.presumedToken(in: bytes.span) {
            require(presumed == range, "another token")
        }
    }

    /// Checks that the three parts of a split token, joined again, give the same token.
    static func token(_ bytes: [UInt8]) {
        guard let token = try? UnverifiedToken(bytes.span) else { return }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        require(parts.count == 3, "not three parts")
        require(
            bytes[token.jws.signingInput].elementsEqual(parts[0] + [UInt8(ascii: ".")] + parts[1]),
            "another signing input")
        require(token.algorithm != .exact(.rs256) || token.header.keyID != "", "an empty key ID")
        for part in parts.prefix(2) {
            guard let plain = Base64URL.decode(Array(part).span) else { fatalError("a part that is not base64url") }
            require(Array(Base64URL.encode(plain).utf8).elementsEqual(part), "two texts for the same bytes")
        }
    }

    /// Checks that parsed JSON is written compactly, and parses as the same value again.
    static func json(_ bytes: [UInt8]) {
        guard let document = try? JSONDocument(parsing: bytes, limits: JSONLimits(bytes: 64 * 1024)) else { return }
        let written = document.root.serialized()
        guard let again = try? JSONDocument(parsing: written, limits: JSONLimits(bytes: 1 << 20)) else {
            fatalError("not read back")
        }
        require(again.root.serialized() == written, "another value")
    }

    /// Checks that an accepted key, however it is written, reads back as the same key, and that no single byte is a
    /// valid signature.
    static func keySet(_ bytes: [UInt8]) {
        guard let keys = try? KeySet(parsing: bytes.span) else { return }
        for key in keys.keys {
            guard let text = try? JSONDocument(parsing: Array(key.jwk.utf8), limits: .keySet) else {
                fatalError("a key is no JSON")
            }
            guard let again = try? VerificationKey(jwk: text.root) else {
                fatalError("a key that is not written to the letter")
            }
            require(again.thumbprint == key.thumbprint && again.algorithms == key.algorithms, "another key")
        }
        for name in keys.skipped.map(\.description) + keys.unusual.map(\.description) {
            require(!name.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character for a terminal")
        }
        for algorithm in SignatureAlgorithm.allCases {
            guard case .found(let key, let exact) = keys.key(keyID: "k1", algorithm: .exact(algorithm)) else {
                continue
            }
            require(exact == algorithm, "another algorithm")
            require(
                key.verify(signature: [0].span, signingInput: [0].span, algorithm: algorithm) != .valid,
                "a byte is a signature")
        }
    }

    /// Checks that the canonical form of a path is its own canonical form, without segments that lead upwards.
    static func path(_ bytes: [UInt8]) {
        encodedSlashes(bytes)
        opaqueSlashes(bytes)
        var path = RequestPath()
        guard (try? path.canonicalize(bytes.span)) != nil else { return }
        var again = RequestPath()
        let canonical = path.canonical
        guard (try? again.canonicalize(canonical.span)) != nil else { fatalError("the one form is refused") }
        require(again.canonical == canonical, "the one form has another")
        require(again.segmentCount == path.segmentCount, "other segments")
        for index in 0..<path.segmentCount {
            guard let segment = path.segment(at: index) else { fatalError("a segment is missing") }
            require(!segment.elementsEqual("..".utf8) && !segment.elementsEqual(".".utf8), "a dot segment")
            require(
                !segment.contains(UInt8(ascii: "/")) && !segment.contains(UInt8(ascii: "\\")) && !segment.contains(0),
                "a separator in a segment")
            require(again.segment(at: index).map { $0.elementsEqual(segment) } == true, "another segment")
        }
    }

    /// Checks that keeping encoded slashes changes nothing for a path without them, and that decoded readings contain
    /// slashes.
    private static func encodedSlashes(_ bytes: [UInt8]) {
        var (kept, plain) = (RequestPath(), RequestPath())
        let isPlain = (try? plain.canonicalize(bytes.span)) != nil
        guard (try? kept.canonicalize(bytes.span, encodedSlashes: .keep)) != nil else {
            return require(!isPlain, "kept is stricter")
        }
        require(isPlain != kept.hasEncodedSlashes, "an encoded slash that is not reported")
        require(!isPlain || kept.canonical == plain.canonical, "another path")
        guard let readings = try? kept.decodedReadings() else { return }
        let text = String(decoding: kept.canonical, as: UTF8.self).replacing("%2F", with: "/")
        let collapsed = "/" + text.split(separator: "/").joined(separator: "/") + (text.hasSuffix("/") ? "/" : "")
        let texts = text.contains("//") ? [text, collapsed] : [text]
        require(
            readings.map { String(decoding: $0.canonical, as: UTF8.self) } == (isPlain ? [] : texts), "other readings")
        require(!readings.contains(where: \.hasEncodedSlashes), "a reading with an encoded slash")
    }

    /// Checks that opaque slashes change nothing for a path without them, and that accepted paths lead nowhere else
    /// once decoded.
    private static func opaqueSlashes(_ bytes: [UInt8]) {
        var (opaque, kept) = (RequestPath(), RequestPath())
        let isKept = (try? kept.canonicalize(bytes.span, encodedSlashes: .keep)) != nil
        guard (try? opaque.canonicalize(bytes.span, encodedSlashes: .opaque)) != nil else {
            return require(!isKept, "opaque is stricter")
        }
        require(isKept != opaque.hasDoubleEncoding, "a double encoding that is not reported")
        require(!isKept || opaque.canonical == kept.canonical, "another path")
        guard (try? opaque.judgeDecodings()) != nil else { return }
        for index in 0..<opaque.segmentCount {
            guard let segment = opaque.segment(at: index) else { fatalError("a segment is missing") }
            let names = segment.split(separator: UInt8(ascii: "/")).map { $0.prefix { $0 != UInt8(ascii: ";") } }
            require(
                !names.contains { name in name.elementsEqual("..".utf8) || name.elementsEqual(".".utf8) },
                "a dot segment")
        }
    }

    static func pathPattern(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        // Written with escapes, a longer text may be too long to be read again.
        guard text.utf8.count < 100_000, let pattern = try? PathPattern(text) else { return }
        guard let again = try? PathPattern(pattern.description) else { fatalError("a pattern that is not read again") }
        require(again == pattern, "a pattern that is written differently")
        let named = pattern.parameterNames + pattern.namesWithoutValue
        require(Set(named).count == named.count, "a name that stands twice")
        require(pattern.mayOverlap(pattern), "a pattern that does not overlap itself")
        requireMatch(pattern)
    }

    /// Checks that a rule matches a path made of its pattern.
    private static func requireMatch(_ pattern: PathPattern) {
        let route = RoutePattern(methods: .any, path: pattern)
        require(!route.isAmbiguous(beside: route), "a rule that is ambiguous beside itself")
        guard !pattern.hasParameters, let table = try? RouteTable([route]) else { return }
        let rest: [PathPattern.Segment] = pattern.coversRest ? [.wildcard, .wildcard] : []
        let segments = (pattern.segments + rest + pattern.tail).compactMap { $0.example(filler: Array("x".utf8)) }
        var path = RequestPath()
        // Text beside a wildcard may be invalid with this filler: `%25*`.
        let text = RequestPath.text(of: segments) + (pattern.trailingSlash ? "/" : "")
        guard (try? path.canonicalize(Array(text.utf8).span)) != nil else { return }
        require(table.match(path: path, below: 0) != nil, "a pattern that does not match its own path")
        require(table.unreachableRules.isEmpty, "a rule that another one shadows")
    }

    /// Reads a claim path (first line) and claims (the rest): the readings of a path agree, and words have no
    /// separator.
    static func claimPath(_ bytes: [UInt8]) {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        let text = String(decoding: line, as: UTF8.self)
        guard let path = try? ClaimPath(text, permitsElements: true) else { return }
        require(path.isMultiple == path.names.contains("*"), "a level that is not seen")
        require(path.isMultiple != ((try? ClaimPath(text)) != nil), "elements where one claim is meant")
        let rest = Array(bytes.dropFirst(line.count + 1))
        guard let claims = try? ClaimsSet(parsing: rest.span) else { return }
        let values = path.values(in: claims.json)
        if path.isAbsent(in: claims.json) { require(values.isEmpty, "an absent claim that is found") }
        let listed = ClaimChoice(values: [.string("a")])
        let holds = TokenTest.claim(path, .held(listed)).holds(for: claims)
        require(holds == values.contains(where: listed.isHeld), "a claim that is not compared")
        if TokenTest.claim(path, .excluded(listed)).holds(for: claims) { require(!holds, "held and excluded") }
        guard !path.isMultiple else { return }
        require(values.count <= 1 && (path.value(in: claims.json) == nil) == values.isEmpty, "two readings")
        for separator in WordSeparator.all {
            var issuer = TrustedIssuer(name: "i", identifier: "i", algorithms: [.rs256], tokenType: .any)
            (issuer.scopeClaims, issuer.scopeSeparator) = ([path], separator)
            let words = TokenVerifier(issuer: issuer).scopes(in: claims)
            for word in words {
                require(
                    TokenTest.claim(path, .word(.string(word), separator)).holds(for: claims),
                    "a word that is not found")
                if values.first?.string != nil {
                    require(!word.contains(separator.text) && word.first != " " && word.last != " ", "not one word")
                }
            }
        }
    }

    /// Checks that a file of any bytes is refused with a message, never with a crash.
    static func configuration(_ bytes: [UInt8]) {
        let result = Configuration.load(
            bytes: bytes, directory: "/nonexistent", environment: ["NAME": "value"],
            checkIdentity: TLSIdentityCheck { (_, _) throws(TLSIdentityProblem) in throw .noCertificate })
        guard case .failure(let problems) = result else { return }
        require(problems.contains { $0.severity == .error }, "refused without a reason")
        for problem in problems {
            require(problem.pointed.map { $0.utf8.count < 2048 } ?? true, "an excerpt as long as the line")
        }
    }
}
