import NIOCore

@testable import HTTP2Sessions

/// A connected client and server.
final class Connection {
    let storage: HTTP2Storage
    let client: ClientEnd
    let server: ServerEnd

    init(client: HTTP2Limits = HTTP2Limits(), server: HTTP2Limits = HTTP2Limits(), webSockets: Bool = false) {
        storage = HTTP2Storage(budgetPeriod: 30)
        self.client = ClientEnd(limits: client, storage: storage)
        self.server = ServerEnd(limits: server, webSockets: webSockets, begins: false, storage: storage)
    }

    /// Carries bytes in both directions until there are none left.
    ///
    /// - Returns: the events at each end.
    @discardableResult
    func exchange(limit: Int = .max) -> (client: [String], server: [String]) {
        var seen: (client: [String], server: [String]) = ([], [])
        while true {
            let toServer = client.output(limit: limit)
            seen.client += client.events()
            if !toServer.isEmpty { server.read(toServer) }
            seen.server += server.events()
            let toClient = server.output(limit: limit)
            seen.server += server.events()
            if !toClient.isEmpty { client.read(toClient) }
            seen.client += client.events()
            if toServer.isEmpty, toClient.isEmpty { return seen }
        }
    }
}
