import ConfigurationFile
import ReverseProxy

/// Each socket with its entry of the file.
enum ServedListeners {
    /// - Parameters:
    ///   - served: in the order of the file.
    ///   - sockets: in the same order if we or our supervisor bound them; a service manager may hand them over in
    ///     another.
    static func listeners(_ served: [ServedListener], _ sockets: [ListeningSocket]) throws(StartFailure) -> [Listener] {
        var listeners: [Listener] = []
        for (index, socket) in sockets.enumerated() {
            guard
                let listener = listener(of: socket, at: index, among: served, isInOrder: sockets.count == served.count)
            else {
                throw .gateway(
                    "listen: nothing says whether \(socket.address), which was handed over, \(doubt(served)); name its port"
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
        return Set(served.map(\.configured.service)).count > 1 ? "speaks TLS" : "begins with a PROXY header"
    }

    /// The entry of the file that a socket belongs to: the one of its port, or the one with its index. Never a guess:
    /// what is meant for TLS must not be spoken in the clear, and whose connections begin with a PROXY protocol header
    /// is not left to a client.
    private static func listener(
        of socket: ListeningSocket, at index: Int, among served: [ServedListener], isInOrder: Bool
    ) -> ServedListener? {
        if let exact = served.first(where: { $0.configured.address.text == socket.address }) { return exact }
        let samePort = served.filter { $0.configured.address.port == socket.port }
        if let only = samePort.first, Set(samePort.map(\.configured.offer)).count == 1 { return only }
        // Among several of one port, or where any free port was taken, only the order is left.
        if isInOrder, served.indices.contains(index), [socket.port, 0].contains(served[index].configured.address.port) {
            return served[index]
        }
        return Set(served.map(\.configured.offer)).count == 1 ? served.first : nil
    }
}
