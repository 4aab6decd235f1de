import NIOCore
import NIOPosix

/// Passes the known addresses of a name to SwiftNIO, which tries both address families in turn (RFC 8305).
///
/// One instance serves one connection.
final class KnownAddresses: Resolver, Sendable {
    private let names: NameResolver
    private let addresses: EventLoopFuture<[SocketAddress]>
    private let waiter: NameResolver.Waiter?

    init(of name: String, from names: NameResolver, on eventLoop: any EventLoop) {
        self.names = names
        (addresses, waiter) = names.addresses(of: name, on: eventLoop)
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addresses(.inet, port) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addresses(.inet6, port) }

    func cancelQueries() {
        if let waiter { names.cancel(waiter) }
    }

    private func addresses(_ family: NIOBSDSocket.ProtocolFamily, _ port: Int) -> EventLoopFuture<[SocketAddress]> {
        addresses.map { addresses in
            addresses.filter { $0.protocol == family }.map { address in
                var address = address
                address.port = Int(UInt16(clamping: port))
                return address
            }
        }
    }
}
