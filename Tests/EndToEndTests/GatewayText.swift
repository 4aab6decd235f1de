/// A configuration file with one issuer and the resources `/api` and `/store`, for tests that vary the rest.
struct GatewayText {
    /// The issuer's `issuer` line, or `profile` with its parameters.
    let issuer: [String]
    let upstream: String
    /// Further keys of the issuer's entry.
    var furtherIssuerLines: [String] = []
    /// Further keys at the top.
    var topLines: [String] = []
    var rules = ["GET /**: read"]

    static let audience = "https://shopping.your-app.com/api"
    /// Audience of the resource `/store`.
    static let store = "https://store.your-app.com/api"

    /// A configuration with a development issuer.
    static func generic(_ issuer: String, keys: String, upstream: String) -> GatewayText {
        GatewayText(
            issuer: [#"issuer: "\#(issuer)""#, #"jwks_uri: "\#(keys)""#, "algorithms: [ES256]", "token_type: at+jwt"],
            upstream: upstream)
    }

    var text: String {
        let lines =
            ["listen: 127.0.0.1:0", "admin: 127.0.0.1:0", "event_loops: 1", "timeouts: {drain: 1s}"] + topLines + [
                "issuers:", "  dev:",
            ]
            + (issuer + furtherIssuerLines).map { "    " + $0 }
            + ["resources:"] + resource(Self.audience, place: "/api") + resource(Self.store, place: "/store")
        return lines.joined(separator: "\n") + "\n"
    }

    private func resource(_ identifier: String, place: String) -> [String] {
        ["  \(identifier):", "    at: [\(place)]", "    issuers: [dev]", "    upstream: \(upstream)", "    rules:"]
            + rules.map { "      " + $0 }
    }
}
