import DevelopmentIssuer

/// The demo's three parts, running.
struct RunningDemo: Demo {
    let issuer: AuthorizationServer
    let file: DemoFile
    /// The gateway's base URL.
    let url: String
    private let shop: SampleShop
    private let gateway: StartedGateway

    /// - Parameter accessLog: what the gateway's file says of its access log.
    static func start(_ addresses: DemoAddresses, accessLog: String) async throws(CommandFailure) -> RunningDemo {
        let issuer = try await addresses.issuer.start { address async throws(ServerStartFailure) in
            try await AuthorizationServer.start(on: address)
        }
        let shop = try await addresses.startShop()
        var file = DemoFile(
            listen: addresses.gateway.first.description, accessLog: accessLog, issuer: issuer.issuer, shop: shop.url)
        let gateway = try await startGateway(yaml: file.text)
        // A user who keeps the file that is shown gets the same gateway again, not another port.
        file.listen = gateway.address
        return RunningDemo(issuer: issuer, file: file, url: gateway.url, shop: shop, gateway: gateway)
    }

    func stop() async {
        await gateway.drain()
        await shop.stop()
        await issuer.stop()
    }
}
