import KeySets
import NetworkNames
import ProxySettings

/// Reads `authorization_file` and `client_certificate`: the credentials for fetching an issuer's keys.
struct KeySetCredentialsReader {
    let section: Section<IssuerKeys>

    /// Reads the credentials. Nil if there are none, or if they are invalid.
    func read() -> KeySetCredentials? {
        let file = section.read(\.authorizationFile).value
        let identity = section.read(\.clientCertificate) { value in
            Section(value, of: CertificateKeys.self).flatMap(TLSFilesReader.identity)
        }.value
        guard file != nil || identity != nil else { return nil }
        let certificate = identity.map { KeySetCredentials.Certificate(certificate: $0.certificate, key: $0.key) }
        return KeySetCredentials(authorizationFile: file, certificate: certificate)
    }

    /// Warns of credentials that are never sent, or that are sent in the clear.
    static func warn(_ section: Section<IssuerKeys>, of issuer: ConfiguredIssuer) {
        let keySets = issuer.exampleKeySets
        let shown = keySets.filter { $0.credentials != nil && $0.showsCredentials }
        if shown.isEmpty, keySets.contains(where: { $0.credentials != nil }) {
            for value in [section[\.authorizationFile], section[\.clientCertificate]] {
                value?.warnPlace(
                    "has no effect: it is for `jwks_uri` as it is written, or for the issuer's own origin",
                    hint: "leave it out, or write `jwks_uri`")
            }
        }
        if shown.contains(where: { PlainHTTP.isPlainAbroad($0.source.description) }) {
            section[\.authorizationFile]?.warn("it is sent over plain http: anyone on the network path can read it")
        }
        // Credentials that the profile itself sends.
        let isPlain = shown.contains {
            $0.credentials?.authorizationFile != nil && PlainHTTP.isPlainAbroad($0.source.description)
        }
        guard isPlain, section[\.authorizationFile] == nil, let value = section[\.plainHTTP] else { return }
        value.warn("the token for the API server is sent over plain http: anyone on the network path can read it")
    }

    static func authorizationFile(_ value: Value) -> String? {
        guard let path = value.someText(expected: "a path"),
            let file = value.secretFile(path, longest: AuthorizationFileContent.limit)
        else { return nil }
        do {
            _ = try AuthorizationFileContent(file.bytes)
        } catch {
            return value.refuse(
                "`\(path)`: \(error.reason)",
                hint: "write a bearer token into it, or a scheme and its credentials, and nothing else")
        }
        return value.reading.resolve(path)
    }
}

extension KeySetConfiguration {
    /// True if credentials may be sent to the first address of this key set.
    fileprivate var showsCredentials: Bool {
        if source.filePath != nil { return false }
        return HTTPURL(source.description).map(mayShowCredentials) ?? false
    }
}
