import ArgumentParser
import DevelopmentIssuer
import ProviderFixtures

/// `bearward-dev issuer`: runs the development issuer alone.
struct IssuerCommand: DevelopmentCommand {
    static let configuration = CommandConfiguration(
        commandName: "issuer",
        abstract: "Run the development issuer: discovery, key set, token endpoint.",
        discussion: """
            Its keys live as long as the process. On demand, with curl -X POST:
              /rotate            sign with a new key; old ones stay published
              /rotate?drop=true  and withdraw the old ones
              /fault?status=500  let discovery and the key set fail. Instead of
                                 status (300...599), or with it:
                                 body=junk|empty|huge|object (object is {}),
                                 delay=200ms (at most 120s). Which answers fail:
                                 document=discovery|jwks, count=3
              /fault?name=down   or slow, garbage, flap (each answer lacks another
                                 key), empty (the key set is {}); the parameters
                                 above change parts of it
              /fault?clear=true  answer as usual again (or name=clear)

            With --as it plays an identity provider: its documents at its own
            paths, its key sets in its own shape, its issuer in the tokens.
            POST /token with sample=ID gives one of its tokens, or one that must
            be refused; GET /samples lists them.
            """,
    )

    @Option(help: "Where to listen, HOST:PORT; port 0 is any free one.")
    var listen = ServerAddress(host: "127.0.0.1", port: 9100)

    @Option(help: "What tokens are signed with. (default: RS256)")
    var algorithm: DevelopmentAlgorithm?

    @Option(name: .customLong("as"), help: "The identity provider to play.")
    var role: ProviderName?

    @Option(help: "Begin with this fault.")
    var fault: NamedFault?

    @Option(help: "The client secret that introspection requires, with --as logto; by default any is accepted.")
    var clientSecret: String?

    func validate() throws {
        guard role == nil || algorithm == nil else {
            throw ValidationError("--algorithm does not go with --as: a provider has its own algorithms")
        }
        guard clientSecret == nil || role == .logto else { throw ValidationError("--client-secret needs --as logto") }
    }

    func perform() async throws(CommandFailure) {
        if let role {
            let server = try await listen.start { address async throws(ServerStartFailure) in
                try await ProviderServer.start(as: role, on: address, clientSecret: clientSecret)
            }
            if let fault { server.fault(fault.fault) }
            StandardOutput.print(ProviderIntroduction(server).text)
        } else {
            let server = try await listen.start { address async throws(ServerStartFailure) in
                try await AuthorizationServer.start(on: address, algorithm: algorithm ?? .rs256)
            }
            if let fault { server.fault(fault.fault) }
            StandardOutput.print(Self.introduction(to: server.issuer))
        }
        await serveUntilInterrupted()
    }

    private static func introduction(to issuer: String) -> String {
        """
        issuer          \(issuer)
        discovery       \(issuer)/.well-known/openid-configuration
        key set         \(issuer)/jwks
        token endpoint  \(issuer)/token
        """
    }
}
