import ProxySettings

/// The keys of a listener that is a mapping.
enum ListenerKey: String, ConfigurationKey {
    case address, tls, redirect, protocols
    case proxyProtocol = "proxy_protocol"

    static let section = SectionReference(
        "listen", "An element of `listen` that says more than its address.", of: ListenerKey.self)

    var reference: KeyReference {
        switch self {
        case .address:
            KeyReference(
                ListenersReader.addressForm, .refused(hint: ListenersReader.example), "The host and port to listen on.",
                example: "0.0.0.0:8443")
        case .tls:
            KeyReference(
                .section(TerminationKey.section), .meaning("clients speak without TLS"), "Serves clients over TLS.",
                example: "{certificate: ./server.pem, key: ./server.key}")
        case .redirect:
            KeyReference(
                .pattern("`https`, or `https:PORT`", "^https(:[1-9][0-9]{0,4})?$"),
                .meaning("requests are served here"),
                "Answers every request with a redirect to https; not together with `tls`.", example: "https:8443")
        case .protocols:
            KeyReference(
                .list(.words(["h2", "h2c", "http/1.1"])),
                .meaning("it is `[h2, http/1.1]` over TLS, else `[http/1.1]`"),
                "What clients may speak. `h2c` is HTTP/2 without TLS, by prior knowledge.", example: "[http/1.1]")
        case .proxyProtocol:
            KeyReference(
                .section(ProxyProtocolKey.section), .meaning("no connection begins with a header, and one is 400"),
                ProxyProtocolKey.section.text, example: "{from: [10.0.0.0/8]}")
        }
    }
}

/// The keys of a listener's `proxy_protocol`.
enum ProxyProtocolKey: String, ConfigurationKey {
    case from

    static let example = "write the addresses of your balancers, such as `{from: [10.0.0.0/8]}`"

    static let section = SectionReference(
        "proxy_protocol",
        "Every connection begins with a PROXY protocol header, version 1 or 2, before TLS; it states the client's address.",
        of: ProxyProtocolKey.self)

    var reference: KeyReference {
        switch self {
        case .from:
            KeyReference(
                .list(WideRangeKey.form), .refused(hint: Self.example),
                "The peers that send the header. Connections of all others are closed at once.", example: "[10.0.0.0/8]"
            )
        }
    }
}

/// The keys of `admin` as a mapping.
enum AdminKey: String, ConfigurationKey {
    case address, allow
    case tokenFile = "token_file"

    static let section = SectionReference("admin", "The admin listener.", of: AdminKey.self)

    var reference: KeyReference {
        switch self {
        case .address:
            KeyReference(
                ListenersReader.addressForm, .refused(hint: ListenersReader.example), "The host and port to listen on.",
                example: "127.0.0.1:9901", needsRestart: true)
        case .allow:
            KeyReference(
                .list(WideRangeKey.form, mayBeEmpty: true), .meaning("everyone who reaches it is answered"),
                "The networks that are answered besides loopback; connections of others are closed at once.",
                example: "[10.0.0.0/8]", needsRestart: true)
        case .tokenFile:
            KeyReference(
                .text("a path"), .meaning("nothing can be changed there"),
                "A file with the token that a request has to have which changes something, such as draining a target. It is read with the file.",
                example: "./admin-token")
        }
    }
}

/// The keys of a listener's `tls`.
enum TerminationKey: String, ConfigurationKey {
    case certificate, key, certificates
    case clientCA = "client_ca"
    case clientCertificate = "client_certificate"
    case minimumVersion = "minimum_version"

    enum ClientCertificate: String, CaseIterable { case optional, required }

    static let natural: [Self] = [.certificate, .key]

    static let section = SectionReference(
        "tls", "TLS of a listener. The files are read again when they change.", of: TerminationKey.self)

    var reference: KeyReference {
        switch self {
        case .certificate: Self.identity(CertificateKey.certificate)
        case .key: Self.identity(CertificateKey.key)
        case .certificates:
            KeyReference(
                .list(.section(CertificateKey.section)), .meaning("there is one certificate"),
                "More certificates. The name that the client asks for decides (SNI).",
                example: "[{certificate: ./server.pem, key: ./server.key}]")
        case .clientCA:
            KeyReference(
                .text("a path"), .meaning("clients are not asked for a certificate"),
                "The authority in PEM whose client certificates count; needs `client_certificate`.",
                example: "./clients.pem")
        case .clientCertificate:
            KeyReference(
                .words(of: ClientCertificate.self), .meaning("clients are not asked for a certificate"),
                "Whether a client must show one; needs `client_ca`.", example: "required")
        case .minimumVersion:
            KeyReference(
                .words(of: TLSFloor.self), .value(TLSFloor.tls12.rawValue), "The oldest version of TLS.",
                example: "\"1.3\"")
        }
    }

    private static func identity(_ key: CertificateKey) -> KeyReference {
        let reference = key.reference
        return KeyReference(
            reference.form, .refusedUnless("there are `certificates`", hint: reference.absence.hint ?? ""),
            reference.text,
            example: reference.example)
    }
}
