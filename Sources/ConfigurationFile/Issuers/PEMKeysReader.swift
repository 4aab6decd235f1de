import JOSE
import KeySets
import TokenVerification

/// Reads an issuer's `keys`: public keys and certificates in PEM, each a key set of its own.
struct PEMKeysReader {
    /// Algorithms of the issuer. Nil if they are not known, which was reported.
    let algorithms: SignatureAlgorithmSet?

    /// Reads the files of the list. Nil after an error, which is reported.
    func read(_ value: Value) -> [KeySetSource]? {
        guard
            let elements = value.mappingOrElements(of: "key", expected: "a list such as [{kid: a, pem_file: ./a.pem}]")
        else { return nil }
        guard elements.count <= KeySourceReader.longestList else {
            return value.refuse(
                "names \(elements.count) keys",
                hint: "write at most \(KeySourceReader.longestList), or a JWK set for `jwks_file`")
        }
        var known: [String] = []
        return elements.readEach { element in
            guard !element.isScalar else {
                return element.refuse("a key needs its `kid` too", hint: "write {kid: a, pem_file: ./a.pem}")
            }
            guard let section = Section(element, of: PEMKeyKeys.self) else { return nil }
            let keyID = section.required(\.keyID)
            let path = section.required(\.pemFile).flatMap { $0.someText(expected: "a path") }
            if let keyID, known.contains(where: { $0.utf8.elementsEqual(keyID.utf8) }) {
                return section[\.keyID]?.refuse("`\(keyID)` stands twice", hint: "give each key a `kid` of its own")
            }
            known += keyID.map { [$0] } ?? []
            guard let keyID, let path, let file = section[\.pemFile] else { return nil }
            return source(file, path, keyID: keyID)
        }
    }

    static func keyID(_ value: Value) -> String? {
        guard let keyID = value.someText(expected: "a key ID") else { return nil }
        guard keyID.utf8.count <= ProtectedHeader.longestKeyID else {
            return value.refuse(
                "is longer than \(ProtectedHeader.longestKeyID) bytes", hint: "no token has a `kid` of this length")
        }
        return keyID
    }

    /// Nil if the file has no key that can be used, which is reported. A file that is not there is only a warning,
    /// because it may still be written while the gateway runs.
    private func source(_ value: Value, _ path: String, keyID: String) -> KeySetSource? {
        let resolved = value.reading.resolve(path)
        let source = KeySetSource.pemFile(path: resolved, keyID: keyID)
        guard let file = value.keyFile(path, at: resolved, of: "tokens with this `kid`") else { return source }
        do throws(PEMKeyRejection) {
            judge(value, path, try VerificationKey(pem: file.bytes, keyID: keyID))
        } catch {
            return value.refuse("`\(path)` \(error)", hint: error.hint)
        }
        CertificateTimes.judgeKey(file.bytes, value)
        return source
    }

    private func judge(_ value: Value, _ path: String, _ key: VerificationKey) {
        guard let algorithms, algorithms.intersection(key.algorithms).isEmpty else { return }
        let fitting = key.algorithms.algorithms.map(\.rawValue).joined(separator: ", ")
        let accepted = algorithms.algorithms.map(\.rawValue).joined(separator: ", ")
        value.warn(
            "`\(path)` has a key for \(fitting), but the issuer's tokens may be signed with \(accepted) alone",
            hint: "as it is, no token is verified with this key")
    }
}

extension PEMKeyRejection {
    /// Advice how to write the file. Nil if the message says enough.
    fileprivate var hint: String? {
        switch self {
        case .privateKey, .encrypted: "write it anew: openssl pkey -in private.pem -pubout"
        case .der: "convert it: openssl pkey -pubin -inform DER -in FILE, or openssl x509 -inform DER -in FILE"
        case .tooLarge, .noBlock, .json, .noLineBreaks, .severalBlocks, .labelUnknown, .notClosed, .textAfterBlock,
            .notBase64, .undecodable, .keyTypeUnsupported, .curveUnsupported, .key:
            nil
        }
    }
}
