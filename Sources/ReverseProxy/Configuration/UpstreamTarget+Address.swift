import NIOCore
import ProxySettings

extension UpstreamTarget {
    /// Its address, if the host is one; nil: the host is a name.
    var address: SocketAddress? { try? SocketAddress(ipAddress: host, port: port) }
}
