import ArgumentParser
import DevelopmentIssuer

/// `bearward-dev shop`: runs the sample upstream alone.
struct ShopCommand: DevelopmentCommand {
    static let configuration = CommandConfiguration(
        commandName: "shop",
        abstract: "Run the sample upstream: a shop with a catalogue and orders.",
        discussion: """
            It answers GET /status, /catalog, /orders, /orders/ID and /me, POST /orders and DELETE /orders/ID, and trusts whoever asks, as \
            an API behind a gateway does.
            """,
    )

    @Option(help: "Where to listen, HOST:PORT; port 0 is any free one.")
    var listen = ServerAddress(host: "127.0.0.1", port: 9000)

    func perform() async throws(CommandFailure) {
        let shop = try await listen.start { address async throws(ServerStartFailure) in
            try await SampleShop.start(on: address)
        }
        StandardOutput.print("shop  \(shop.url)")
        await serveUntilInterrupted()
    }
}
