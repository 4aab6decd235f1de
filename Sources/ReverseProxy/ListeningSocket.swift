import Files
import NIOCore
import NetworkNames
import SystemPackage

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A listening socket, bound by this process or handed over by the process that started it.
///
/// Only this file of the module makes system calls on sockets. The holder of the value owns the descriptor, until a
/// gateway takes it over at its start.
public struct ListeningSocket: Sendable, Hashable {
    /// Non-blocking and close-on-exec descriptor.
    public let descriptor: CInt
    /// Local address, as `address:port` with brackets around IPv6.
    public let address: String

    public var port: Int? { HostAndPort(address)?.port.flatMap { Int($0) } }

    /// Length of the queue of completed connections that wait to be accepted.
    static let backlog: CInt = 4096
    /// First descriptor that is handed over (`sd_listen_fds(3)`).
    public static let firstAdopted: CInt = 3

    /// Binds and listens; port 0 takes any free port. Only one socket can listen on an address: SO_REUSEPORT is not
    /// set.
    ///
    /// - Parameter address: `host:port` or `[IPv6]:port`.
    public init(binding address: String) throws(ListeningSocketFailure) {
        let (host, port) = try Self.parts(of: address)
        var found: UnsafeMutablePointer<addrinfo>?
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Self.streamType
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        let status = unsafe getaddrinfo(host, port, &hints, &found)
        guard status == 0, let info = unsafe found else { throw .notAnAddress(address) }
        defer { unsafe freeaddrinfo(info) }
        let descriptor = unsafe socket(info.pointee.ai_family, Self.streamType | Self.descriptorFlags, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", errno: errno, address: address) }
        do throws(ListeningSocketFailure) {
            var one: CInt = 1
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
            let bound = unsafe bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen)
            guard bound == 0 else { throw Self.failure(of: "bind", at: address) }
            guard listen(descriptor, Self.backlog) == 0 else { throw Self.failure(of: "listen", at: address) }
            self.address = Self.localAddress(of: descriptor) ?? address
            self.descriptor = descriptor
        } catch {
            Self.close(descriptor)
            throw error
        }
    }

    /// Restores the length of the queue. SwiftNIO calls `listen` again on a socket it is given, with a shorter queue.
    func restoreBacklog() {
        // No error is expected: the socket listened a moment ago.
        _ = listen(descriptor, Self.backlog)
    }

    /// Limit on open descriptors of this process. Read anew each time, because an operator may change it.
    public static var descriptorLimit: Int {
        var limit = rlimit()
        #if canImport(Musl)
            let resource = RLIMIT_NOFILE
        #else
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        return unsafe getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : .max
    }

    /// Takes over a descriptor after checking that it is a listening stream socket.
    public init(adopting descriptor: CInt) throws(ListeningSocketFailure) {
        guard Self.option(SO_TYPE, of: descriptor) == Self.streamType else {
            throw .notAStreamSocket(descriptor: descriptor)
        }
        guard Self.option(SO_ACCEPTCONN, of: descriptor) == 1 else { throw .notListening(descriptor: descriptor) }
        guard let address = Self.localAddress(of: descriptor) else { throw .notAStreamSocket(descriptor: descriptor) }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else {
            throw .system(call: "fcntl", errno: errno, address: address)
        }
        self.descriptor = descriptor
        self.address = address
    }

    /// Takes over all sockets that the environment names (`sd_listen_fds(3)`). Empty if it names none.
    ///
    /// `LISTEN_PID` may be missing, since a process started by `posix_spawn` has no pid before it runs. If present, it
    /// must be this process's pid.
    public static func adopted(
        from environment: [String: String], first: CInt = firstAdopted
    ) throws(ListeningSocketFailure) -> [ListeningSocket] {
        guard let text = environment["LISTEN_FDS"] else { return [] }
        if let owner = environment["LISTEN_PID"], Int32(owner) != getpid() { return [] }
        guard let count = CInt(text), (0...1024).contains(count) else { throw .malformedCount(text) }
        var sockets: [ListeningSocket] = []
        for descriptor in first..<first + count { sockets.append(try ListeningSocket(adopting: descriptor)) }
        return sockets
    }

    /// Takes over the sockets that the environment names; if there are none, binds one to each address. If one fails,
    /// all bound ones are closed.
    public static func adopted(
        from environment: [String: String], orBinding addresses: some Sequence<String>
    ) throws(ListeningSocketFailure) -> [ListeningSocket] {
        let adopted = try adopted(from: environment)
        guard adopted.isEmpty else { return adopted }
        var bound: [ListeningSocket] = []
        do {
            for address in addresses { bound.append(try ListeningSocket(binding: address)) }
            return bound
        } catch {
            bound.forEach { $0.close() }
            throw error
        }
    }

    /// Closes the descriptor. For a socket that no gateway takes over.
    public func close() { Self.close(descriptor) }

    // MARK: System calls

    #if canImport(Musl)
        private static let streamType = SOCK_STREAM
        private static let descriptorFlags = SOCK_NONBLOCK | SOCK_CLOEXEC
    #else
        private static let streamType = CInt(SOCK_STREAM.rawValue)
        private static let descriptorFlags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    #endif

    private static func close(_ descriptor: CInt) {
        #if canImport(Musl)
            _ = Musl.close(descriptor)
        #else
            _ = Glibc.close(descriptor)
        #endif
    }

    private static func failure(of call: String, at address: String) -> ListeningSocketFailure {
        switch errno {
        case EADDRINUSE: .addressInUse(address)
        case EACCES, EPERM: .notPermitted(address)
        case EADDRNOTAVAIL: .addressNotHere(address)
        default: .system(call: call, errno: errno, address: address)
        }
    }

    private static func option(_ name: CInt, of descriptor: CInt) -> CInt? {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        let status = unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &length)
        return status == 0 ? value : nil
    }

    private static func localAddress(of descriptor: CInt) -> String? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let isKnown = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe getsockname(descriptor, address, &length) == 0 else { return false }
                let family = unsafe CInt(address.pointee.sa_family)
                guard family == AF_INET || family == AF_INET6 else { return false }
                let flags = NI_NUMERICHOST | NI_NUMERICSERV
                return unsafe getnameinfo(
                    address, length, &host, socklen_t(host.count), &port, socklen_t(port.count), flags) == 0
            }
        }
        guard isKnown else { return nil }
        let text = Self.text(host)
        return (text.utf8.contains(UInt8(ascii: ":")) ? "[\(text)]" : text) + ":" + Self.text(port)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Host and port of an address. An IPv6 host loses its brackets.
    private static func parts(of address: String) throws(ListeningSocketFailure) -> (host: String, port: String) {
        guard let parts = HostAndPort(address), !parts.host.isEmpty, let port = parts.port,
            PortNumber.decimal(port.utf8.span) != nil
        else {
            throw .notAnAddress(address)
        }
        return (String(parts.host), String(port))
    }
}

/// Reason why there is no listening socket.
public enum ListeningSocketFailure: Error, Sendable, Hashable {
    /// Not `host:port`, or a host that has no address.
    case notAnAddress(String)
    case addressInUse(String)
    /// Not permitted to bind: ports below 1024 usually need root or a capability.
    case notPermitted(String)
    /// An address that no interface of this machine has.
    case addressNotHere(String)
    /// `LISTEN_FDS` is not a number of descriptors.
    case malformedCount(String)
    case notAStreamSocket(descriptor: CInt)
    case notListening(descriptor: CInt)
    case system(call: String, errno: CInt, address: String)
}

extension ListeningSocketFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAnAddress(let address): "\(address) is not an address to listen on"
        case .addressInUse(let address): "\(address) is in use"
        case .notPermitted(let address):
            "not permitted to listen on \(address); for a port below 1024 have systemd open the socket, grant CAP_NET_BIND_SERVICE, "
                + "or lower net.ipv4.ip_unprivileged_port_start"
        case .addressNotHere(let address): "\(address) is not an address of this machine"
        case .malformedCount(let text): "LISTEN_FDS is not a number of sockets: \(text)"
        case .notAStreamSocket(let descriptor): "descriptor \(descriptor) is not a TCP socket"
        case .notListening(let descriptor): "descriptor \(descriptor) does not listen"
        case .system(let call, let errno, let address):
            "no socket for \(address): \(Errno(rawValue: errno).words) (\(call))"
        }
    }
}
