import HTTPMessages
import NetworkNames

/// The client: the peer, the address that its PROXY protocol header states, or the one that a trusted peer names.
struct ClientAddress {
    /// The peer's address as text; empty when the channel has none.
    let peer: [UInt8]
    let peerAddress: IPAddress?

    var text: String { String(decoding: peer, as: UTF8.self) }

    /// - Parameter text: the address without port, as the socket has it; an IPv4 address in IPv6 form is written as
    ///   IPv4.
    init(peer text: String?) {
        let address = text.flatMap { IPAddress($0) }
        var written = text ?? ""
        let prefix = "::ffff:"
        if let address, address.isIPv4, written.hasPrefix(prefix) { written.removeFirst(prefix.utf8.count) }
        peer = Array(written.utf8)
        peerAddress = address
    }

    /// The address that a PROXY protocol header states.
    init(announced address: IPAddress) {
        peer = Array(address.description.utf8)
        peerAddress = address
    }

    /// The client for logs and limits: the last address in `X-Forwarded-For` that is not a trusted proxy's.
    ///
    /// Read from the right, because only what trusted proxies appended is believed. Ends at the first thing that is no
    /// address.
    func client(of head: RequestHead, _ configuration: ProxyConfiguration) -> (text: [UInt8], address: IPAddress?) {
        var client = (text: peer, address: peerAddress)
        guard head.contains(.xForwardedFor), configuration.trusts(peerAddress) else { return client }
        Self.read(head, configuration) { client = ($0, $1) }
        return client
    }

    /// The client of a proxy that asks at a door and is believed as it may ask there; the address is nil if it states
    /// none.
    func stated(in head: RequestHead, _ configuration: ProxyConfiguration) -> (text: [UInt8], address: IPAddress?) {
        var client: (text: [UInt8], address: IPAddress?) = (peer, nil)
        Self.read(head, configuration) { client = ($0, $1) }
        return client
    }

    /// The addresses of `X-Forwarded-For` from the right, up to the first that is not a trusted proxy's.
    private static func read(
        _ head: RequestHead, _ configuration: ProxyConfiguration, _ found: ([UInt8], IPAddress) -> Void
    ) {
        for field in Array(head.fields(named: .xForwardedFor)).reversed() {
            for element in head.value(of: field).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .reversed()
            {
                guard let (address, text) = Self.address(element) else { return }
                found(text, address)
                guard configuration.trusts(address) else { return }
            }
        }
    }

    /// An element of the list: an address, perhaps with a port, perhaps in brackets.
    private static func address(_ element: ArraySlice<UInt8>) -> (IPAddress, [UInt8])? {
        var text = element.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
        guard let parts = HostAndPort.Offsets(text.span) else { return nil }
        // Without brackets, a second colon makes it IPv6 without a port.
        let hasPort = parts.isBracketed || !text.dropFirst(parts.rest.lowerBound + 1).contains(UInt8(ascii: ":"))
        if hasPort { text = text.dropFirst(parts.host.lowerBound).prefix(parts.host.count) }
        guard let address = IPAddress(text.span) else { return nil }
        return (address, Array(text))
    }
}
