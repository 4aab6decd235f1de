import ArgumentParser
import DevelopmentIssuer
import FoundationEssentials

/// `bearward-dev token`: prints one token from a running development issuer, and nothing else on standard output.
struct TokenCommand: DevelopmentCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print one access token made by a running development issuer.",
        discussion: #"""
            For example: TOKEN=$(bearward-dev token --audience https://api.example --scope "orders:read orders:write")
            Of an issuer that plays a provider (bearward-dev issuer --as NAME): bearward-dev token --sample access
            """#,
    )

    @Option(help: "The issuer's URL.")
    var issuer = "http://127.0.0.1:9100"

    @Option(help: "Audience of the token (repeatable); usually the resource's identifier.")
    var audience: [String] = []

    @Option(help: "Its scopes (repeatable, or several separated by spaces).")
    var scope: [String] = []

    @Option(help: "Its subject; by default the client.")
    var subject: String?

    @Option(help: "The client it was issued to. (default: sample-client)")
    var client: String?

    @Option(
        parsing: .unconditional,
        help: "Seconds until it expires; negative for one that has expired. (default: 3600, or the sample's own)")
    var expiresIn: Int?

    @Option(help: "What it is signed with; by default the issuer's own choice.")
    var algorithm: DevelopmentAlgorithm?

    @Option(help: "More claims, as a JSON object.")
    var claims: String?

    @Option(
        help: "One of the samples of an issuer that plays a provider; audience, scope, lifetime and claims change it.")
    var sample: String?

    @Flag(help: "List the samples of an issuer that plays a provider.")
    var listSamples = false

    func validate() throws {
        guard let url = URLComponents(string: issuer), url.scheme == "http" || url.scheme == "https",
            url.host?.isEmpty == false
        else {
            throw ValidationError("--issuer must be a URL such as http://127.0.0.1:9100")
        }
        guard audience.allSatisfy({ audience in !audience.isEmpty }), sample?.isEmpty != true else {
            throw ValidationError("--audience and --sample must not be empty")
        }
        guard !audience.isEmpty || sample != nil || listSamples else {
            throw ValidationError("name the token's audience (--audience), or a sample (--sample)")
        }
        let idle = [("--client", client != nil), ("--subject", subject != nil), ("--algorithm", algorithm != nil)]
            .filter(\.1).map(\.0)
        guard sample == nil || idle.isEmpty else {
            throw ValidationError(
                "leave out \(idle.joined(separator: " and ")), which a sample has already; --claims changes claims")
        }
    }

    func perform() async throws(CommandFailure) {
        let endpoint = TokenEndpoint(issuer: issuer)
        if listSamples {
            for line in try await endpoint.samples() { StandardOutput.print(line) }
        } else if let sample {
            StandardOutput.print(try await token(of: sample, endpoint))
        } else {
            StandardOutput.print(try await endpoint.token(parameters))
        }
    }

    private func token(of sample: String, _ endpoint: TokenEndpoint) async throws(CommandFailure) -> String {
        do throws(CommandFailure) {
            return try await endpoint.token(parameters(of: sample))
        } catch .tokenRefused(let cause) {
            // An issuer that plays no provider lists no samples. Its own description is the better message then.
            guard let ids = try? await endpoint.sampleIDs() else { throw .tokenRefused(cause) }
            let names = SampleNames(ids: ids)
            throw names.has(sample) ? .tokenRefused(cause) : .unknownSample(sample, near: names.near(sample))
        }
    }

    private var parameters: [(name: String, value: String)] {
        var parameters = [("grant_type", "client_credentials"), ("client_id", client ?? "sample-client")]
        parameters.append(("expires_in", String(expiresIn ?? 3600)))
        parameters += audience.map { audience in ("audience", audience) }
        parameters += [("scope", scope.joined(separator: " "))]
        if let subject { parameters.append(("subject", subject)) }
        if let algorithm { parameters.append(("algorithm", algorithm.rawValue)) }
        if let claims { parameters.append(("claims", claims)) }
        return parameters
    }

    /// Form parameters for a sample, with the requested changes only. Everything else stays as in the sample.
    private func parameters(of sample: String) -> [(name: String, value: String)] {
        var parameters = [("sample", sample)] + audience.map { audience in ("audience", audience) }
        if !scope.isEmpty { parameters.append(("scope", scope.joined(separator: " "))) }
        if let expiresIn { parameters.append(("expires_in", String(expiresIn))) }
        if let claims { parameters.append(("claims", claims)) }
        return parameters
    }
}
