import ArgumentParser
import DevelopmentIssuer
import Foundation

/// `bearward-dev token`: one token from a running development issuer, and nothing else on standard output.
struct TokenCommand: DevelopmentCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print one access token made by a running development issuer.",
        discussion: #"For example: TOKEN=$(bearward-dev token --audience https://api.example --scope "orders:read orders:write")"#,
    )

    @Option(help: "The issuer's URL.")
    var issuer = "http://127.0.0.1:9100"

    @Option(help: "Whom the token is for (repeatable); usually the resource's identifier.")
    var audience: [String]

    @Option(help: "What it permits (repeatable, or several separated by spaces).")
    var scope: [String] = []

    @Option(help: "Whom it speaks of; by default the client.")
    var subject: String?

    @Option(help: "The client it was issued to.")
    var client = "sample-client"

    @Option(help: "Seconds until it expires; negative for one that has expired.")
    var expiresIn = 3600

    @Option(help: "What it is signed with; by default the issuer's own choice.")
    var algorithm: DevelopmentAlgorithm?

    @Option(help: "More claims, as a JSON object.")
    var claims: String?

    func validate() throws {
        guard let url = URLComponents(string: issuer), url.scheme == "http" || url.scheme == "https", url.host?.isEmpty == false else {
            throw ValidationError("--issuer must be a URL such as http://127.0.0.1:9100")
        }
        guard !audience.isEmpty, audience.allSatisfy({ audience in !audience.isEmpty }) else {
            throw ValidationError("--audience must not be empty")
        }
    }

    func perform() async throws(CommandFailure) {
        StandardOutput.print(try await TokenEndpoint(issuer: issuer).token(parameters))
    }

    private var parameters: [(name: String, value: String)] {
        var parameters = [("grant_type", "client_credentials"), ("client_id", client), ("expires_in", String(expiresIn))]
        parameters += audience.map { audience in ("audience", audience) }
        parameters += [("scope", scope.joined(separator: " "))]
        if let subject { parameters.append(("subject", subject)) }
        if let algorithm { parameters.append(("algorithm", algorithm.rawValue)) }
        if let claims { parameters.append(("claims", claims)) }
        return parameters
    }
}
