import DevelopmentIssuer
import ProviderFixtures

/// Introduction to a server that plays a provider: the URLs of its documents, and the entry of a configuration file
/// that trusts it.
struct ProviderIntroduction {
    private let server: ProviderServer

    init(_ server: ProviderServer) {
        self.server = server
    }

    var text: String {
        let issuers = server.samples.keySets.flatMap(\.discovery).map(\.issuer)
        var lines = [Self.line("provider", "\(server.samples.name.rawValue), as \(issuers.first ?? "itself")")]
        lines += server.discoveryURLs.map { url in Self.line("discovery", url) }
        for keySet in server.samples.keySets { lines.append(Self.line("key set", server.keySetURL(keySet.name) ?? "")) }
        lines.append(Self.line("token endpoint", server.url + "/token  (sample=ID; \(server.url)/samples lists them)"))
        if let url = server.introspectionURL { lines.append(Self.line("introspection", url)) }
        return (lines + file).joined(separator: "\n")
    }

    /// Lines with the issuer entry of the configuration file, and the audience that its resource must name.
    private var file: [String] {
        guard let setup = server.samples.setups.first else { return [] }
        let entry = setup.issuerLines(name: server.samples.name.rawValue) { name in server.keySetURL(name) ?? "" }
        let audiences = setup.audiences.isEmpty ? "the profile's own" : setup.audiences.joined(separator: ", ")
        return ["", "# For the gateway's file; the audience of the samples is \(audiences).", "issuers:"] + entry
    }

    private static func line(_ name: String, _ value: String) -> String {
        name + String(repeating: " ", count: max(1, 16 - name.count)) + value
    }
}
