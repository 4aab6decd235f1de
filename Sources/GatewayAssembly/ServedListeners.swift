import ConfigurationFile
import ProxySettings
import ReverseProxy
import TransportSecurity

/// Each socket with what the file says of it.
enum ServedListeners {
    /// - Parameters:
    ///   - configured: in the order of the file.
    ///   - terminations: of the secure ones, in that order.
    ///   - sockets: in the same order if we or our supervisor bound them; a service manager may hand them over in another.
    static func listeners(
        _ configured: [ConfiguredListener], _ terminations: [TLSTermination], _ sockets: [ListeningSocket]
    ) throws(StartFailure) -> [Listener] {
        let services = services(configured, terminations)
        var listeners: [Listener] = []
        for (index, socket) in sockets.enumerated() {
            guard let place = place(of: socket, at: index, among: configured, isInOrder: sockets.count == configured.count) else {
                throw .gateway("listen: nothing says whether \(socket.address), which was handed over, speaks TLS; name its port")
            }
            listeners.append(Listener(socket, services[place]))
        }
        return listeners
    }

    private static func services(_ configured: [ConfiguredListener], _ terminations: [TLSTermination]) -> [ListenerService] {
        var terminations = terminations[...]
        return configured.map { listener in
            switch listener.service {
            case .plain(let protocols): .plain(protocols)
            case .redirect(let redirect): .redirect(redirect)
            case .secure: terminations.popFirst().map { .secure($0) } ?? .redirect(HTTPSRedirect())
            }
        }
    }

    /// Which entry of the file a socket belongs to: the one of its port, or the one at its place. Never a guess: what is meant for TLS must
    /// not be spoken in the clear.
    private static func place(
        of socket: ListeningSocket, at index: Int, among configured: [ConfiguredListener], isInOrder: Bool
    ) -> Int? {
        if let exact = configured.firstIndex(where: { $0.address.text == socket.address }) { return exact }
        let samePort = configured.indices.filter { configured[$0].address.port == socket.port }
        if let only = samePort.first, Set(samePort.map { configured[$0].service }).count == 1 { return only }
        // Among several of one port, or where any free port was taken, only the order is left.
        if isInOrder, configured.indices.contains(index), samePort.contains(index) || configured[index].address.port == 0 { return index }
        return Set(configured.map(\.service)).count == 1 ? configured.indices.first : nil
    }
}
