import ProxySettings

/// Reads `tls` of a listener. The files are opened, so that an unusable certificate is found before it is needed.
enum TerminationReader {
    static func read(_ value: Value, _ protocols: ListenerProtocols?) -> ConfiguredTermination? {
        guard let section = Section(value, of: TerminationKeys.self) else { return nil }
        let identities = identities(section)
        let clients = clients(section)
        let floor = section.read(\.minimumVersion).value
        guard let identities, let clients, let floor, let protocols else { return nil }
        return ConfiguredTermination(
            identities: identities, clientCAFile: clients.file, requiresClientCertificate: clients.areRequired,
            floor: floor, protocols: protocols)
    }

    /// Reads the certificates. `certificate` and `key` are the default, and `certificates` are additional. Without the
    /// first pair, the first of the list is the default. Nil if a certificate is invalid or there is none, which is
    /// reported.
    private static func identities(_ section: Section<TerminationKeys>) -> [IdentityFiles]? {
        var identities: [IdentityFiles?] = []
        if section[\.certificate] != nil || section[\.key] != nil || section[\.certificates] == nil {
            identities.append(TLSFilesReader.identity(section.part(CertificateKeys.self)))
        }
        let written = section[\.certificates]
        let expected = "a list of {certificate, key}"
        for element in written?.mappingOrElements(of: "certificate", expected: expected) ?? [] {
            identities.append(Section(element, of: CertificateKeys.self).flatMap(TLSFilesReader.identity))
        }
        let found = identities.compactMap { $0 }
        return found.count == identities.count && !found.isEmpty ? found : nil
    }

    private static func clients(_ section: Section<TerminationKeys>) -> (file: String?, areRequired: Bool)? {
        let wanted = section.read(\.clientCertificate)
        guard let authority = section[\.clientCA] else {
            guard let value = section[\.clientCertificate] else { return (nil, false) }
            return value.refuseMissing(
                "names no authority whose certificates count", hint: "add `client_ca: ./clients.pem`")
        }
        guard let file = section.read(\.clientCA).value else { return nil }
        guard let word = wanted.value else {
            if wanted.isAbsent {
                let hint = "add `client_certificate: optional`, or `required` to refuse clients without one"
                authority.reportMissing("does not say whether clients must show a certificate", hint: hint)
            }
            return nil
        }
        return (file, word == .required)
    }
}
