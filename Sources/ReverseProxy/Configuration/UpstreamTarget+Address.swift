import NIOCore
import ProxySettings

extension UpstreamTarget {
    /// Socket address of the target. Nil if its host is a name.
    var address: SocketAddress? {
        guard let socketPath else { return try? SocketAddress(ipAddress: ipAddress ?? host, port: port) }
        return try? SocketAddress(unixDomainSocketPath: socketPath)
    }
}
