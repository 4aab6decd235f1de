import DevelopmentIssuer

/// A running demo: issuer, shop and gateway.
struct RunningDemo: Demo {
    let issuer: AuthorizationServer
    let file: DemoFile
    /// Base URL of the gateway.
    let url: String
    private let shop: SampleShop
    private let gateway: StartedGateway

    /// Starts issuer, shop and gateway.
    ///
    /// - Parameter accessLog: value of `access_log` in the gateway's file.
    static func start(_ addresses: DemoAddresses, accessLog: String) async throws(CommandFailure) -> RunningDemo {
        let issuer = try await addresses.issuer.start { address async throws(ServerStartFailure) in
            try await AuthorizationServer.start(on: address)
        }
        let shop = try await addresses.startShop()
        var file = DemoFile(
            listen: addresses.gateway.first.description, accessLog: accessLog, issuer: issuer.issuer, shop: shop.url)
        let gateway = try await startGateway(yaml: file.text)
        // The file shown names the bound port, so that a user who keeps it gets the same gateway again.
        file.listen = gateway.address
        return RunningDemo(issuer: issuer, file: file, url: gateway.url, shop: shop, gateway: gateway)
    }

    func stop() async {
        await gateway.drain()
        await shop.stop()
        await issuer.stop()
    }
}
