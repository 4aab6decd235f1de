import NIOCore
import ProxySettings

extension UpstreamTarget {
    /// Its address, if it is known; nil: the host is a name.
    var address: SocketAddress? {
        guard let socketPath else { return try? SocketAddress(ipAddress: ipAddress ?? host, port: port) }
        return try? SocketAddress(unixDomainSocketPath: socketPath)
    }
}
