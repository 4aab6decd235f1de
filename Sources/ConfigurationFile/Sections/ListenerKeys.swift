import ProxySettings

/// Configuration keys of a listener in its mapping form.
final class ListenerKeys: SectionKeys {
    static let section = SectionReference(
        "listen", "An element of `listen` that says more than its address.", of: ListenerKeys.self)

    let address = Key(
        "address", ListenersReader.addressForm, .refused(hint: ListenersReader.example),
        "The host and port to listen on.", example: "0.0.0.0:8443")
    let tls = Key(
        "tls", form: .section(TerminationKeys.section), .meaning("clients speak without TLS"),
        "Serves clients over TLS.", example: "{certificate: ./server.pem, key: ./server.key}")
    let redirect = Key(
        "redirect", KeyForm(.pattern("`https`, or `https:PORT`", "^https(:[1-9][0-9]{0,4})?$"), ListenersReader.port),
        .meaning("requests are served here"),
        "Answers every request with a redirect to https; not together with `tls`.", example: "https:8443")
    let protocols = Key(
        "protocols", form: .list(.words(["h2", "h2c", "http/1.1"])),
        .meaning("it is `[h2, http/1.1]` over TLS, else `[http/1.1]`"),
        "What clients may speak. `h2c` is HTTP/2 without TLS, by prior knowledge.", example: "[http/1.1]")
    let proxyProtocol = Key(
        "proxy_protocol", KeyForm(.section(ProxyProtocolKeys.section), ListenersReader.proxies),
        .meaning("connections have no such header, and one that has it is 400"), ProxyProtocolKeys.section.text,
        example: "{from: [10.0.0.0/8]}")
}

/// Configuration keys of a listener's `proxy_protocol`.
final class ProxyProtocolKeys: SectionKeys {
    static let section = SectionReference(
        "proxy_protocol",
        "Every connection begins with a PROXY protocol header, version 1 or 2, before TLS; it states the client's address.",
        of: ProxyProtocolKeys.self)

    let from = Key(
        "from", KeyForm(.list(WideRangeKeys.form)) { $0.someAddressRanges()?.warned(.stateAddresses) },
        .refused(hint: "write the addresses of your balancers, such as `{from: [10.0.0.0/8]}`"),
        "The peers that send the header. Connections of all others are closed at once.", example: "[10.0.0.0/8]")
}

/// Configuration keys of `admin` in its mapping form.
final class AdminKeys: SectionKeys {
    static let section = SectionReference("admin", "The admin listener.", of: AdminKeys.self)

    let address = Key(
        "address", ListenersReader.addressForm, .refused(hint: ListenersReader.example),
        "The host and port to listen on.", example: "127.0.0.1:9901", needsRestart: true)
    let allow = Key(
        "allow", KeyForm(.list(WideRangeKeys.form, mayBeEmpty: true)) { $0.addressRanges() },
        .meaning("everyone who can reach it may use it"),
        "The networks that are answered besides loopback; connections of others are closed at once.",
        example: "[10.0.0.0/8]", needsRestart: true)
    let tokenFile = Key(
        "token_file", KeyForm(.text("a path"), ListenersReader.token), .meaning("nothing can be changed there"),
        "File with the token for requests that change something, such as draining a target, or that name persons. It is read with the configuration.",
        example: "./admin-token")
}

/// Configuration keys of a listener's `tls`.
final class TerminationKeys: SectionKeys {
    enum ClientCertificate: String, CaseIterable { case optional, required }

    static let section = SectionReference(
        "tls", "TLS of a listener. The files are read again when they change.", of: TerminationKeys.self)

    private static let withoutClients = KeyAbsence.meaning("clients are not asked for a certificate")

    var natural: [any SectionKey] { [certificate, key] }

    let certificate = Key("certificate", TerminationKeys.identity(CertificateKeys().certificate.reference))
    let key = Key("key", TerminationKeys.identity(CertificateKeys().key.reference))
    let certificates = Key(
        "certificates", form: .list(.section(CertificateKeys.section)), .meaning("there is one certificate"),
        "More certificates. The name that the client asks for decides (SNI).",
        example: "[{certificate: ./server.pem, key: ./server.key}]")
    let clientCA = Key(
        "client_ca", KeyForm(.text("a path")) { $0.certificateFile() }, TerminationKeys.withoutClients,
        "The authority in PEM whose client certificates count; needs `client_certificate`.",
        example: "./clients.pem")
    let clientCertificate = Key(
        "client_certificate", KeyForm<ClientCertificate>.word, TerminationKeys.withoutClients,
        "Whether clients must present a certificate; needs `client_ca`.", example: "required")
    let minimumVersion = Key(
        "minimum_version", .word, default: TLSFloor.tls12, "The oldest version of TLS.", example: "\"1.3\"")

    /// Description of a key of the default pair, which may be absent if there are `certificates`.
    private static func identity(_ reference: KeyReference) -> KeyReference {
        KeyReference(
            reference.form, .refusedUnless("there are `certificates`", hint: reference.absence.hint ?? ""),
            reference.text, example: reference.example)
    }
}
