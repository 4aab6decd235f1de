import CARES
import NetworkNames

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// `/etc/hosts`, as c-ares reads it. Also answers `localhost` without a file (RFC 6761 §6.3). Used by one thread at a
/// time.
// SAFETY: the channel is ours from `init` to `deinit`.
@safe
final class HostsFile {
    private let channel: ares_channel

    init(_ settings: NameServerSettings) throws(ResolverFailure) {
        unsafe channel = try ResolverChannel.open(settings, lookups: "f")
    }

    deinit {
        unsafe ares_destroy(channel)
    }

    /// Addresses of a name, in the file's order. Empty if the file does not have the name. Reads the file each time,
    /// because it can change.
    func addresses(of name: String) -> [IPAddress] {
        var addresses: [IPAddress] = []
        // Sorting would open sockets.
        var hints = ares_addrinfo_hints(ai_flags: ARES_AI_NOSORT, ai_family: AF_UNSPEC, ai_socktype: 0, ai_protocol: 0)
        // SAFETY: without name servers the library calls back before it returns.
        unsafe withUnsafeMutablePointer(to: &addresses) { addresses in
            unsafe ares_getaddrinfo(
                channel, name, nil, &hints,
                { argument, status, _, found in
                    defer { unsafe ares_freeaddrinfo(found) }
                    guard status == ARES_SUCCESS, let argument = unsafe argument else { return }
                    let addresses = unsafe argument.assumingMemoryBound(to: [IPAddress].self)
                    var next = unsafe found?.pointee.nodes
                    while let node = unsafe next, unsafe addresses.pointee.count < FoundAddresses.most {
                        if let address = unsafe HostsFile.address(node.pointee),
                            unsafe !addresses.pointee.contains(address)
                        {
                            unsafe addresses.pointee.append(address)
                        }
                        unsafe next = node.pointee.ai_next
                    }
                }, addresses)
        }
        return addresses
    }

    /// Address of a c-ares result. Nil if it is neither IPv4 nor IPv6.
    private static func address(_ node: ares_addrinfo_node) -> IPAddress? {
        guard let pointer = unsafe UnsafeRawPointer(node.ai_addr) else { return nil }
        let length = unsafe Int(node.ai_addrlen)
        switch unsafe node.ai_family {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            return IPAddress(
                ipv4: UInt32(bigEndian: unsafe pointer.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            return unsafe withUnsafeBytes(of: pointer.loadUnaligned(as: sockaddr_in6.self).sin6_addr) {
                unsafe IPAddress(networkOrder: $0)
            }
        default: return nil
        }
    }
}

@available(*, unavailable)
extension HostsFile: Sendable {}
