/// Reads where the gateway listens: `listen` and `admin`.
struct ListenersReader {
    private static let example = "write `127.0.0.1:8080`"

    /// Without `listen` it is an address that only this machine reaches.
    static func listen(_ value: Value?) -> [ListenAddress] {
        guard let value else { return ListenAddress("127.0.0.1:8080").map { [$0] } ?? [] }
        guard let elements = value.isMapping ? [value] : value.someElements(of: "address", expected: "an address or a list") else {
            return []
        }
        var listen: [ListenAddress] = []
        for element in elements {
            guard let place = element.isMapping ? addressOfMapping(element) : element, let address = address(place) else { continue }
            if let other = listen.first(where: address.overlaps) {
                place.report("`\(address.text)` cannot be listened on beside `\(other.text)`")
            }
            listen.append(address)
        }
        return listen
    }

    static func admin(_ value: Value?, beside listen: [ListenAddress]) -> ListenAddress? {
        guard let value, let place = value.isMapping ? addressOfMapping(value) : value, let address = address(place) else { return nil }
        if let other = listen.first(where: address.overlaps) {
            place.report("the admin listener must not share the data listener's address `\(other.text)`", hint: "give it a port of its own")
        }
        return address
    }

    private static func addressOfMapping(_ value: Value) -> Value? {
        guard let section = Section(value, keys: ["address", "tls"]) else { return nil }
        section["tls"]?.reportMissing("TLS listeners are not supported yet", hint: "let a TLS proxy stand in front")
        return section.required("address", hint: example)
    }

    private static func address(_ value: Value) -> ListenAddress? {
        guard let text = value.someText(expected: "an address such as `127.0.0.1:8080`") else { return nil }
        guard let address = ListenAddress(text) else {
            value.report("`\(text)` is not an address to listen on", hint: hint(for: text))
            return nil
        }
        return address
    }

    private static func hint(for text: String) -> String {
        if Quantity.digits(text[...]) != nil { return "write `127.0.0.1:\(text)`, or `0.0.0.0:\(text)` for all interfaces" }
        if text.contains("://") { return "write host and port without a scheme" }
        if text.count(where: { $0 == ":" }) > 1 { return "write an IPv6 address as \"[::1]:8080\"" }
        if text.hasPrefix(":") || text.hasPrefix("*:") {
            let port = text.drop { $0 != ":" }
            return "write `0.0.0.0\(port)` or \"[::]\(port)\" for all interfaces"
        }
        return text.contains(":") ? example : "write host and port, `\(text):8080`"
    }
}
