import AuthorizationDoors

/// The keys of an element of `doors`.
enum DoorKey: String, ConfigurationKey {
    case kind, address, from, tls

    static let natural: [Self] = [.kind, .address, .from]

    static let section = SectionReference(
        "doors",
        "Where another proxy asks whether it may forward a request. Each kind of proxy has a listener of its own.",
        of: DoorKey.self)

    static let peersHint =
        "write `from: [127.0.0.1/32]` with the proxy's addresses, or `tls` with `client_ca` and `client_certificate: required`"

    var reference: KeyReference {
        switch self {
        case .kind:
            KeyReference(
                .words(of: DoorKind.self), .refused(hint: "write the proxy that asks there, such as `kind: nginx`"),
                "The proxy that asks. It decides by which fields a request is stated, and no others are looked at.",
                example: "nginx")
        case .address:
            KeyReference(
                ListenersReader.addressForm, .refused(hint: "write `127.0.0.1:9191`"),
                "The host and port to listen on.",
                example: "127.0.0.1:9191")
        case .from:
            KeyReference(
                .list(WideRangeKey.form),
                .refusedUnless("`tls` has `client_certificate: required`", hint: Self.peersHint),
                "The proxies that may ask. Everyone else is answered 403.", example: "[127.0.0.1/32]")
        case .tls:
            KeyReference(
                .section(TerminationKey.section), .meaning("the proxy asks without TLS"), "Has the proxy ask over TLS.",
                example:
                    "{certificate: ./server.pem, key: ./server.key, client_ca: ./clients.pem, client_certificate: required}"
            )
        }
    }
}
