import AuthorizationDoors

/// Configuration keys of an element of `doors`.
final class DoorKeys: SectionKeys {
    static let section = SectionReference(
        "doors",
        "Forward auth: listeners where another proxy asks whether it may forward a request. Each kind of proxy needs its own.",
        of: DoorKeys.self)

    static let peersHint =
        "write `from: [127.0.0.1/32]` with the proxy's addresses, or `tls` with `client_ca` and `client_certificate: required`"

    var natural: [any SectionKey] { [kind, address, from] }

    let kind = Key(
        "kind", KeyForm<DoorKind>.word, .refused(hint: "write the proxy that asks there, such as `kind: nginx`"),
        "The kind of proxy. It decides which headers describe a request; all others are ignored.",
        example: "nginx")
    let address = Key(
        "address", ListenersReader.addressForm, .refused(hint: "write `127.0.0.1:9191`"),
        "The host and port to listen on.", example: "127.0.0.1:9191")
    let from = Key(
        "from", KeyForm(.list(WideRangeKeys.form), DoorsReader.peers),
        .refusedUnless("`tls` has `client_certificate: required`", hint: DoorKeys.peersHint),
        "The proxies that may ask. Everyone else is answered 403.", example: "[127.0.0.1/32]")
    let tls = Key(
        "tls", form: .section(TerminationKeys.section), .meaning("the proxy asks without TLS"),
        "TLS for the proxy's connections.",
        example:
            "{certificate: ./server.pem, key: ./server.key, client_ca: ./clients.pem, client_certificate: required}")
}
