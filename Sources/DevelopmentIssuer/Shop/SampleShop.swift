/// The sample upstream: a shop with orders and a catalogue, in memory. It trusts the proxy in front of it.
public final class SampleShop: Sendable {
    /// Base URL of all endpoints.
    public let url: String
    private let server: RunningServer

    private init(url: String, server: RunningServer) {
        self.url = url
        self.server = server
    }

    /// Binds the address and serves until ``stop()``.
    public static func start(on address: ServerAddress = .anyLoopback) async throws(ServerStartFailure) -> SampleShop {
        let running = try await RunningServer.start(ShopEndpoints().router, on: address)
        return SampleShop(url: running.address.url, server: running.server)
    }

    /// Closes all connections at once, and returns when the port is free again.
    public func stop() async {
        await server.stop()
    }
}
