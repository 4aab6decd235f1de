import NetworkNames
import ProxySettings

/// Reads the listeners: `listen` and `admin`.
enum ListenersReader {
    static let example = "write `127.0.0.1:8080`"
    static let addressForm = KeyForm(.text("`host:port`, or `[IPv6]:port`"), address)

    static func listen(_ value: Value) -> [ConfiguredListener] {
        let elements = value.mappingOrElements(of: "address", expected: "an address or a list")
        var listen: [ConfiguredListener] = []
        var redirects: [Value] = []
        for element in elements ?? [] {
            guard let (place, listener) = listener(element) else { continue }
            if let other = listen.first(where: { listener.address.overlaps($0.address) }) {
                let addresses = [(listener.address, other.address), (other.address, listener.address)]
                let wider = addresses.first { $0.0.isWider(than: $0.1) }?.0
                place.report(
                    "`\(listener.address.text)` conflicts with the listener on `\(other.address.text)`",
                    hint: wider.map { "keep `\($0.text)` alone, which takes the connections of both" }
                        ?? "keep one of them")
            }
            listen.append(listener)
            if case .redirect = listener.service { redirects.append(place) }
        }
        noteRedirects(redirects, listen)
        return listen
    }

    /// Notes redirects to TLS if no listener has TLS.
    private static func noteRedirects(_ places: [Value], _ listen: [ConfiguredListener]) {
        let isSecure = listen.contains { if case .secure = $0.service { true } else { false } }
        guard !isSecure, places.first?.reading.hasErrors == false else { return }
        for place in places {
            place.notePlace(
                "this redirects to TLS, which no listener has",
                hint: "only a proxy with TLS before the gateway answers there; without one, add a listener with `tls`")
        }
    }

    /// Reads `admin`: its address, the permitted networks (nil permits all), and the token that changes require.
    static func admin(_ value: Value?, beside listen: [ConfiguredListener]) -> (
        ListenAddress?, clients: [AddressRange]?, token: [UInt8]?
    ) {
        guard let value else { return (nil, nil, nil) }
        let section = value.isMapping ? adminSection(value) : nil
        let written = section?.read(\.allow).value
        let clients = written?.map(\.range)
        let token = section?.read(\.tokenFile).value
        guard let address = value.isMapping ? section?.required(\.address) : address(value) else {
            return (nil, clients, token)
        }
        let place = section?[\.address] ?? value
        if let other = listen.first(where: { address.overlaps($0.address) }) {
            let message = "the admin listener must not share the data listener's address `\(other.address.text)`"
            place.report(message, hint: "give it a port of its own")
        }
        if !address.isLoopback { warnOfReaders(written, place, address) }
        return (address, clients, token)
    }

    /// Warns of readers of the admin listener on other machines. Nil `readers` means that everyone may read it.
    private static func warnOfReaders(_ readers: [WrittenRange]?, _ place: Value, _ address: ListenAddress) {
        guard let readers else {
            return place.warn(
                "anyone who can reach this address can read the metrics and the names of issuers and rules",
                hint: "write {address: \"\(address.text)\", allow: [10.0.0.0/8]} with the networks of your own",
                weakens: .admin)
        }
        for reader in readers { reader.warn(.readAdmin) }
    }

    /// Reads the token for changes from its file, without the line end. Nil if the file does not hold one valid token,
    /// which is reported.
    static func token(_ value: Value) -> [UInt8]? {
        guard let path = value.someText(expected: "a path"),
            let file = value.secretFile(path, longest: longestToken + 2)
        else {
            return nil
        }
        let token = Array(file.bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
        guard token.count >= shortestToken, token.count <= longestToken, file.bytes.count <= token.count + 2,
            token.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            return value.refuse(
                "`\(path)` does not hold one token of \(shortestToken) to \(longestToken) characters",
                hint: "make one: openssl rand -hex 32 > \(path)")
        }
        return token
    }

    private static let shortestToken = 16
    private static let longestToken = 1024

    private static func adminSection(_ value: Value) -> Section<AdminKeys>? {
        let hint = "the admin listener is for this machine; let a TLS proxy stand in front where others need it"
        return Section(value, of: AdminKeys.self) { $0 == "tls" ? hint : nil }
    }

    /// Reads a listener. The first result is the value that holds the address, for error reports. Nil after an error,
    /// which is reported.
    private static func listener(_ value: Value) -> (Value, ConfiguredListener)? {
        guard value.isMapping else {
            guard let address = address(value) else { return nil }
            warnOfPlainPort(address, value)
            return (value, ConfiguredListener(address: address))
        }
        guard let section = Section(value, of: ListenerKeys.self) else { return nil }
        let service = service(section)
        let proxies = section.read(\.proxyProtocol)
        guard let address = section.required(\.address), let place = section[\.address], let service else { return nil }
        if section[\.tls] == nil, section[\.redirect] == nil, section[\.protocols] == nil {
            warnOfPlainPort(address, place)
        }
        return (place, ConfiguredListener(address: address, service: service, proxies: proxies.value))
    }

    /// Warns of port 443 without TLS. Its clients use TLS, unless a proxy before the gateway terminates it.
    private static func warnOfPlainPort(_ address: ListenAddress, _ place: Value) {
        guard address.port == 443 else { return }
        place.warn(
            "clients of port 443 speak TLS, and this listener does not",
            hint:
                "add `tls`, or write {address: \(FlowText.of(address.text)), protocols: http/1.1} if a proxy takes TLS off"
        )
    }

    /// Reads the peers that send PROXY protocol headers. No other peer of the listener is served. Nil after an error,
    /// which is reported.
    static func proxies(_ value: Value) -> [AddressRange]? {
        Section(value, of: ProxyProtocolKeys.self)?.required(\.from)
    }

    private static func service(_ section: Section<ListenerKeys>) -> ConfiguredService? {
        guard let redirect = section[\.redirect] else {
            guard let tls = section[\.tls] else {
                return protocols(section[\.protocols], isSecure: false).map { .plain($0) }
            }
            return TerminationReader.read(tls, protocols(section[\.protocols], isSecure: true)).map { .secure($0) }
        }
        if section[\.tls] != nil {
            redirect.report(
                "a listener that redirects to https is not one with `tls`", hint: "give each an address of its own")
        }
        return section.read(\.redirect).value.map { .redirect(HTTPSRedirect(port: $0)) }
    }

    /// Reads the protocols of a listener. By default a listener with TLS speaks HTTP/1.1 and HTTP/2. One without TLS
    /// speaks only HTTP/1.1, because clients must know that a server speaks HTTP/2 (RFC 9113 §3.3). Nil after an error,
    /// which is reported.
    static func protocols(_ value: Value?, isSecure: Bool) -> ListenerProtocols? {
        guard let value else { return isSecure ? .both : .http1 }
        let newer = isSecure ? "h2" : "h2c"
        guard let names = value.texts(of: "protocol") else { return nil }
        for name in names where name != newer && name != "http/1.1" {
            let hint =
                name == "h2"
                ? "in the clear it is `h2c`" : name == "h2c" ? "over TLS it is `h2`" : "write `\(newer)` or `http/1.1`"
            return value.refuse("`\(name)` is not available here", hint: hint)
        }
        return names.contains(newer) ? names.contains("http/1.1") ? .both : .http2 : .http1
    }

    /// Reads the port of a redirect: `https`, or `https:8443`. Nil after an error, which is reported.
    static func port(_ redirect: Value) -> Int? {
        let forms = "`https`, or `https:8443` for another port"
        guard let text = redirect.someText(expected: forms) else { return nil }
        if text == "https" { return 443 }
        guard text.hasPrefix("https:"), let port = Quantity.digits(text.dropFirst(6)), (1...65_535).contains(port)
        else { return redirect.refuse("`\(text)` is not known here", hint: "write \(forms)") }
        return port
    }

    static func address(_ value: Value) -> ListenAddress? {
        guard let text = value.someText(expected: "an address such as `127.0.0.1:8080`") else { return nil }
        guard let address = ListenAddress(text) else {
            return value.refuse("`\(text)` is not an address to listen on", hint: hint(for: text))
        }
        return address
    }

    private static func hint(for text: String) -> String {
        guard let space = text.firstIndex(of: " ") else { return proposal(for: text) }
        // nginx and HAProxy write options after an address. Here they are keys.
        let word = String(text[..<space])
        let address = ListenAddress(word) == nil ? proposal(for: word) : "write `\(word)`"
        return "\(address); what else a listener has are keys beside it: {address: …, tls: {…}}"
    }

    private static func proposal(for text: String) -> String {
        if Quantity.digits(text[...]) != nil {
            return "write `127.0.0.1:\(text)`, or `0.0.0.0:\(text)` for all interfaces"
        }
        if text.hasPrefix("/") || text.lowercased().hasPrefix("unix:") {
            return "a socket's path is not listened on; \(example)"
        }
        if text.contains("://") { return "write host and port without a scheme" }
        if text.count(where: { $0 == ":" }) > 1 { return "write an IPv6 address as \"[::1]:8080\"" }
        if text.hasPrefix(":") || text.hasPrefix("*:") {
            let port = text.drop { $0 != ":" }
            return "write `0.0.0.0\(port)` or \"[::]\(port)\" for all interfaces"
        }
        let isWord = text.isNegation || ["true", "yes", "on", "enabled"].contains(text.lowercased())
        let isHost = !isWord && ListenAddress("\(text):8080") != nil
        return isHost ? "write host and port, `\(text):8080`" : example
    }
}
