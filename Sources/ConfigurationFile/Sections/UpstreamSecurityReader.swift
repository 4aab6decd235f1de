import NetworkNames
import ProxySettings

/// Reads `upstream_tls`. No key disables the verification of certificates.
enum UpstreamSecurityReader {
    /// Keys that disable verification in other proxies, for which there is a special hint.
    private static let switches: Set<String> = [
        "insecure", "insecure_skip_verify", "skip_verify", "verify", "verification", "verify_certificate", "tls_verify",
        "ssl_verify",
    ]

    static func read(_ value: Value) -> TargetSecurity? {
        let hint =
            "an upstream's certificate is always verified; for one of your own authority write `ca_file: ./ca.pem`"
        guard
            let section = Section(
                value, of: UpstreamSecurityKeys.self, misplaced: { switches.contains($0) ? hint : nil })
        else {
            return nil
        }
        let caFile = section.read(\.caFile)
        let name = section.read(\.serverName)
        let floor = section.read(\.minimumVersion).value
        let identity = identity(section)
        let protocols = section.read(\.protocols).or(.both)
        guard let floor, let protocols, !caFile.isWrong, !name.isWrong, !identity.isWrong else { return nil }
        return TargetSecurity(
            caFile: caFile.value, identity: identity.value, serverName: name.value, floor: floor, protocols: protocols)
    }

    private static func identity(_ section: Section<UpstreamSecurityKeys>) -> Read<IdentityFiles> {
        guard section[\.certificate] != nil || section[\.key] != nil else { return .absent }
        return Read(TLSFilesReader.identity(section.part(CertificateKeys.self)))
    }

    static func serverName(_ value: Value) -> String? {
        guard let text = value.someText(expected: "a name such as `api.internal`") else { return nil }
        guard let address = ListenAddress(text + ":443"), IPAddress(address.host) == nil,
            address.host == text.lowercased()
        else {
            return value.refuse(
                "`\(text)` is not a DNS name", hint: "write the name that the upstream's certificate is for")
        }
        return address.host
    }
}
