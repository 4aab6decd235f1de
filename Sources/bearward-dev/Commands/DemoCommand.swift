import ArgumentParser
import DevelopmentIssuer
import ProviderFixtures

/// `bearward-dev demo`: runs issuer, shop and gateway in one process.
struct DemoCommand: DevelopmentCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a development issuer, a sample shop and the gateway in front, and print requests to try.",
    )

    @Flag(
        help:
            "Make the requests, print the results, and exit with 0 only if every answer is as expected. Uses free ports."
    )
    var check = false

    @Option(help: "Where the gateway listens, HOST:PORT. (default: 127.0.0.1:8080)")
    var listen: ServerAddress?

    @Option(help: "Where the issuer listens, HOST:PORT. (default: 127.0.0.1:9100, or a free port)")
    var issuerListen: ServerAddress?

    @Option(help: "Where the shop listens, HOST:PORT. (default: 127.0.0.1:9000, or a free port)")
    var shopListen: ServerAddress?

    @Option(name: .customLong("as"), help: "The identity provider that the issuer plays.")
    var role: ProviderName?

    func perform() async throws(CommandFailure) {
        let demo = try await start(accessLog: check ? "none" : "stdout")
        guard check else {
            StandardOutput.print(try demo.guide())
            return await serveUntilInterrupted()
        }
        let outcomes = try await demo.outcomes()
        for outcome in outcomes { StandardOutput.print(outcome.line) }
        await demo.stop()
        let differing = outcomes.count { outcome in !outcome.differences.isEmpty }
        guard differing == 0 else { throw .demoDiffers(count: differing, of: outcomes.count) }
    }

    private func start(accessLog: String) async throws(CommandFailure) -> any Demo {
        guard let role else { return try await RunningDemo.start(addresses, accessLog: accessLog) }
        return try await RunningProviderDemo.start(as: role, addresses, accessLog: accessLog)
    }

    private var addresses: DemoAddresses {
        DemoAddresses(
            gateway: DemoAddress(wanted: listen, usual: usual(port: 8080), option: "--listen"),
            issuer: DemoAddress(wanted: issuerListen, usual: usual(port: 9100), option: "--issuer-listen"),
            shop: DemoAddress(wanted: shopListen, usual: usual(port: 9000), option: "--shop-listen"),
        )
    }

    private func usual(port: Int) -> ServerAddress {
        check ? .anyLoopback : ServerAddress(host: "127.0.0.1", port: port)
    }
}
