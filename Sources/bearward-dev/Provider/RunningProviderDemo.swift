import DevelopmentIssuer
import ProviderFixtures

/// A running demo whose issuer plays a provider. It has one gateway for each setup of the provider's samples.
struct RunningProviderDemo: Demo {
    let issuer: ProviderServer
    /// Gateways, that of the standard setup first.
    let gateways: [ProviderGateway]
    private let shop: SampleShop

    /// Starts issuer, shop and gateways.
    ///
    /// - Parameter accessLog: value of `access_log` in the gateways' files.
    static func start(
        as provider: ProviderName, _ addresses: DemoAddresses, accessLog: String,
    ) async throws(CommandFailure) -> RunningProviderDemo {
        let issuer = try await addresses.issuer.start { address async throws(ServerStartFailure) in
            try await ProviderServer.start(as: provider, on: address)
        }
        let shop = try await addresses.startShop()
        var gateways: [ProviderGateway] = []
        for setup in issuer.samples.setups {
            let address = gateways.isEmpty ? addresses.gateway.first : .anyLoopback
            var file = ProviderDemoFile(
                listen: address.description, accessLog: accessLog, setup: setup, shop: shop.url,
                keySetURLs: keySetURLs(of: issuer))
            let gateway = try await startGateway(yaml: file.text)
            // The file shown names the bound port, so that a user who keeps it gets the same gateway again.
            file.listen = gateway.address
            gateways.append(ProviderGateway(file: file, gateway: gateway))
        }
        return RunningProviderDemo(issuer: issuer, gateways: gateways, shop: shop)
    }

    func stop() async {
        for gateway in gateways { await gateway.gateway.drain() }
        await shop.stop()
        await issuer.stop()
    }

    func trials(of gateway: ProviderGateway) -> [SampleTrial] {
        issuer.samples.trials.filter { trial in trial.variant == gateway.file.setup.variant }
    }

    private static func keySetURLs(of issuer: ProviderServer) -> [String: String] {
        issuer.samples.keySets.reduce(into: [:]) { urls, keySet in urls[keySet.name] = issuer.keySetURL(keySet.name) }
    }
}

/// A running gateway for one setup of the provider's samples.
struct ProviderGateway: Sendable {
    let file: ProviderDemoFile
    let gateway: StartedGateway

    /// URL of a trial's request.
    func url(of trial: SampleTrial) -> String {
        gateway.url + ProviderDemoFile.place + trial.call.path
    }
}
