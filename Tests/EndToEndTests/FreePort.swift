import Glibc

/// A port that nothing listens on, for a program that cannot report which port it took.
///
/// It is below the ports that the system assigns to clients, and no other process of a test run gets it as long as this
/// process runs.
enum FreePort {
    struct NoneFree: Error {}

    private static let range = 10_000..<30_000

    static func find() throws -> Int {
        let first = Int.random(in: range)
        for port in Array(first..<range.upperBound) + Array(range.lowerBound..<first)
        where try isFree(port) && claim(port) {
            return port
        }
        throw NoneFree()
    }

    private static func isFree(_ port: Int) throws -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw NoneFree() }
        defer { close(descriptor) }
        // Ports in TIME_WAIT are free to listen on.
        var on: CInt = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return isBound(descriptor, to: &address)
    }

    /// Claims a port by binding a socket name that exists once in the system, until this process exits.
    private static func claim(_ port: Int) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A name that begins with a zero byte is abstract and in no folder.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
            for (index, byte) in "bearward-test-port-\(port)".utf8.enumerated() { unsafe path[index + 1] = byte }
        }
        guard isBound(descriptor, to: &address) else {
            close(descriptor)
            return false
        }
        return true
    }

    private static func isBound<Address>(_ descriptor: Int32, to address: inout Address) -> Bool {
        let length = socklen_t(MemoryLayout<Address>.size)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, length) == 0
            }
        }
    }
}
