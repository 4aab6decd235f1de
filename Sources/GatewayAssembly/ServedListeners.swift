import ConfigurationFile
import ReverseProxy

/// Matches sockets with the listeners of the configuration file.
enum ServedListeners {
    /// Finds the configured listener of each socket.
    ///
    /// - Parameters:
    ///   - served: listeners in the order of the file.
    ///   - sockets: sockets in the same order if this process or its supervisor bound them. A service manager may use
    ///     another order.
    static func listeners(_ served: [ServedListener], _ sockets: [ListeningSocket]) throws(StartFailure) -> [Listener] {
        var listeners: [Listener] = []
        for (index, socket) in sockets.enumerated() {
            guard
                let listener = listener(of: socket, at: index, among: served, isInOrder: sockets.count == served.count)
            else {
                throw .gateway(
                    "listen: it is unclear whether the inherited socket \(socket.address) \(doubt(served)); write its port"
                )
            }
            let configured = listener.configured
            listeners.append(
                Listener(
                    socket, listener.service, proxies: configured.proxies,
                    door: configured.door.map { Door(kind: $0.kind, peers: $0.peers) }))
        }
        return listeners
    }

    private static func doubt(_ served: [ServedListener]) -> String {
        if Set(served.map(\.configured.door)).count > 1 { return "is a door" }
        return Set(served.map(\.configured.service)).count > 1 ? "is for TLS" : "expects a PROXY header"
    }

    /// Finds the listener of a socket: the one with its port, otherwise the one with its index. Nil if that is
    /// ambiguous.
    ///
    /// It never guesses. A guess could speak plain text where TLS is meant, or let clients write the PROXY protocol
    /// header that only a proxy may write.
    private static func listener(
        of socket: ListeningSocket, at index: Int, among served: [ServedListener], isInOrder: Bool
    ) -> ServedListener? {
        if let exact = served.first(where: { $0.configured.address.text == socket.address }) { return exact }
        let samePort = served.filter { $0.configured.address.port == socket.port }
        if let only = samePort.first, Set(samePort.map(\.configured.offer)).count == 1 { return only }
        // Several listeners have this port, or it is any free port: then only the order identifies it.
        if isInOrder, served.indices.contains(index), [socket.port, 0].contains(served[index].configured.address.port) {
            return served[index]
        }
        return Set(served.map(\.configured.offer)).count == 1 ? served.first : nil
    }
}
