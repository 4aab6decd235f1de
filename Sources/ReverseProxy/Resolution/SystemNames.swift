import NIOCore

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The system's resolver: name servers, `/etc/hosts`, and its other sources.
enum SystemNames {
    /// The addresses of a name in the order in which to try them (RFC 6724), their ports 0; none if it cannot be resolved.
    ///
    /// Blocks until the system has an answer, which can take many seconds.
    static func addresses(of name: String) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        #if canImport(Musl)
            unsafe hints.ai_socktype = SOCK_STREAM
        #else
            unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = unsafe first
        while let info = unsafe next {
            if let address = unsafe address(info.pointee, name) { addresses.append(address) }
            unsafe next = info.pointee.ai_next
        }
        return addresses
    }

    /// nil: neither IPv4 nor IPv6.
    private static func address(_ info: addrinfo, _ name: String) -> SocketAddress? {
        guard let pointer = unsafe UnsafeRawPointer(info.ai_addr) else { return nil }
        let length = unsafe Int(info.ai_addrlen)
        switch unsafe info.ai_family {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            return SocketAddress(unsafe pointer.loadUnaligned(as: sockaddr_in.self), host: name)
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            return SocketAddress(unsafe pointer.loadUnaligned(as: sockaddr_in6.self), host: name)
        default: return nil
        }
    }
}
