import ProxySettings

/// Reads the certificate and private key with which one side of a TLS connection authenticates.
enum TLSFilesReader {
    /// Reads `certificate` and `key` of a mapping, and checks that they belong together. Nil after an error, which is
    /// reported.
    static func identity(_ section: Section<CertificateKeys>) -> IdentityFiles? {
        let certificate = section.required(\.certificate)
        let key = section.required(\.key)
        let chain = certificate.flatMap { content(of: $0) }
        let secret = key.flatMap { content(of: $0, isSecret: true) }
        guard let certificate, let key, let chain, let secret else { return nil }
        do {
            try section.value.reading.checkIdentity(certificate: chain.bytes, key: secret.bytes)
        } catch {
            switch error {
            case .noCertificate: certificate.report("holds no PEM certificate")
            case .noKey: key.report("holds no PEM private key")
            case .encryptedKey:
                key.report(
                    "the private key is encrypted", hint: "store it without a passphrase, readable by the gateway alone"
                )
            case .keyOfAnotherCertificate:
                key.report("the private key does not belong to the certificate, or TLS has no use for its kind")
            }
            return nil
        }
        CertificateTimes.judgeChain(chain.bytes, certificate)
        return IdentityFiles(certificate: chain.path, key: secret.path)
    }

    private static func content(of value: Value, isSecret: Bool = false) -> (path: String, bytes: [UInt8])? {
        guard let path = value.someText(expected: "a path") else { return nil }
        let resolved = value.reading.resolve(path)
        if let absence = FileOnDisk.absence(at: resolved, writtenAs: path) { return value.refuse(absence) }
        guard let file = try? FileOnDisk(at: resolved, longest: IdentityFiles.longest) else {
            return value.refuse("`\(path)` cannot be read", hint: "let the gateway's user read it")
        }
        if isSecret, file.isReadableByOthers {
            value.warn(
                "everyone on this machine may read this private key", hint: "take the permission away: chmod o-r")
        }
        return (resolved, file.bytes)
    }
}
