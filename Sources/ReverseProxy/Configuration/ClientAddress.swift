import HTTPMessages
import NetworkNames

/// Address of a client: of the socket's peer, as stated in its PROXY protocol header, or as named by a trusted peer.
struct ClientAddress {
    /// Address of the peer as text. Empty if the channel has none.
    let peer: [UInt8]
    let peerAddress: IPAddress?

    var text: String { String(decoding: peer, as: UTF8.self) }

    /// - Parameter text: Address without port, from the socket. An IPv4-mapped IPv6 address is converted to IPv4.
    init(peer text: String?) {
        let address = text.flatMap { IPAddress($0) }
        var written = text ?? ""
        let prefix = "::ffff:"
        if let address, address.isIPv4, written.hasPrefix(prefix) { written.removeFirst(prefix.utf8.count) }
        peer = Array(written.utf8)
        peerAddress = address
    }

    /// Takes the address stated in a PROXY protocol header.
    init(announced address: IPAddress) {
        peer = Array(address.description.utf8)
        peerAddress = address
    }

    /// The client for logs and limits: the last address in `X-Forwarded-For` that is not a trusted proxy's.
    ///
    /// Read from the right, because only elements appended by trusted proxies are believed. Stops at the first element
    /// that is not an address.
    func client(of head: RequestHead, _ configuration: ProxyConfiguration) -> (text: [UInt8], address: IPAddress?) {
        var client = (text: peer, address: peerAddress)
        guard head.contains(.xForwardedFor), configuration.trusts(peerAddress) else { return client }
        Self.read(head, configuration) { client = ($0, $1) }
        return client
    }

    /// The client stated by a proxy that asks at a door, where every permitted proxy is believed. The address is nil if
    /// the proxy states none.
    func stated(in head: RequestHead, _ configuration: ProxyConfiguration) -> (text: [UInt8], address: IPAddress?) {
        var client: (text: [UInt8], address: IPAddress?) = (peer, nil)
        Self.read(head, configuration) { client = ($0, $1) }
        return client
    }

    /// Calls back for each address of `X-Forwarded-For` from the right, up to the first that is not a trusted proxy's.
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

    /// Parses an element of `X-Forwarded-For`: an address, optionally with a port or in brackets. Nil if it is invalid.
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
