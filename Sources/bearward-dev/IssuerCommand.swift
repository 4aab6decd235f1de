import ArgumentParser
import DevelopmentIssuer

/// `bearward-dev issuer`: the development issuer alone.
struct IssuerCommand: DevelopmentCommand {
    static let configuration = CommandConfiguration(
        commandName: "issuer",
        abstract: "Run the development issuer: discovery, key set, token endpoint.",
        discussion: """
            Its keys live as long as the process. On demand, with curl -X POST:
              /rotate            sign with a new key; old ones stay published
              /rotate?drop=true  and withdraw the old ones
              /fault?status=500  let discovery and the key set fail; besides
                                 document=discovery|jwks, status=300...599,
                                 body=junk|empty|huge, delay=200ms, count=3
              /fault?clear=true  answer as usual again
            """,
    )

    @Option(help: "Where to listen, HOST:PORT; port 0 is any free one.")
    var listen = ServerAddress(host: "127.0.0.1", port: 9100)

    @Option(help: "What tokens are signed with.")
    var algorithm = DevelopmentAlgorithm.rs256

    func perform() async throws(CommandFailure) {
        let server = try await start()
        StandardOutput.print(
            """
            issuer          \(server.issuer)
            discovery       \(server.issuer)/.well-known/openid-configuration
            key set         \(server.issuer)/jwks
            token endpoint  \(server.issuer)/token
            """)
        try await serveUntilInterrupted()
    }

    private func start() async throws(CommandFailure) -> AuthorizationServer {
        do throws(ServerStartFailure) {
            return try await AuthorizationServer.start(on: listen, algorithm: algorithm)
        } catch {
            throw .notBound(error, option: "--listen")
        }
    }
}
