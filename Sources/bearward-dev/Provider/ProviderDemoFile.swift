import ProviderFixtures

/// The gateway's configuration file in the demo with a provider, as an operator would write it for one setup.
struct ProviderDemoFile: Sendable, Hashable {
    var listen: String
    let accessLog: String
    let setup: ProviderSetup
    let shop: String
    /// URL of each key set, by its name.
    let keySetURLs: [String: String]

    /// Path of the shop, on any host.
    static let place = "/api"

    var text: String {
        let entries = setup.yaml(issuer: setup.provider.rawValue, place: Self.place, upstream: shop) { name in
            keySetURLs[name] ?? ""
        }
        return """
            listen: \(listen.quotedAddress)
            access_log: \(accessLog)

            \(entries)
            """
    }
}
