import FoundationEssentials
import JOSESigning
import ProviderFixtures

/// A development server that plays an identity provider: with its documents at its own paths, its key sets in its own
/// form, its sample tokens and near-misses of them.
///
/// The issuer in documents and tokens is the real provider's; only the endpoints are local. It authenticates nobody, so
/// it must never be reachable by others.
public final class ProviderServer: Sendable {
    /// Base URL of all endpoints.
    public let url: String
    public let samples: ProviderSamples
    private let state: ProviderState
    private let server: RunningServer

    private init(url: String, state: ProviderState, server: RunningServer) {
        self.url = url
        samples = state.samples
        self.state = state
        self.server = server
    }

    /// Generates the provider's keys, binds the address and serves until ``stop()``.
    ///
    /// - Parameter clientSecret: secret that introspection requires. Nil if any secret is accepted.
    public static func start(
        as provider: ProviderName, on address: ServerAddress = .anyLoopback, clientSecret: String? = nil,
    ) async throws(ServerStartFailure) -> ProviderServer {
        guard let state = try? ProviderState(provider, clientSecret: clientSecret) else { throw .keyUnavailable }
        let endpoints = ProviderEndpoints(state: state)
        let running = try await RunningServer.start(endpoints.router, on: address) { bound in state.bound(as: bound.url)
        }
        return ProviderServer(url: running.address.url, state: state, server: running.server)
    }

    /// Closes all connections at once, and returns when the port is free again.
    public func stop() async {
        await server.stop()
    }

    /// URL of the key set with this name. Nil if the provider has none with this name.
    public func keySetURL(_ name: String) -> String? {
        samples.keySets.first { keySet in keySet.name == name }.map { keySet in url + keySet.path }
    }

    /// URLs of all metadata documents.
    public var discoveryURLs: [String] {
        samples.keySets.flatMap { keySet in keySet.discovery.map { document in url + document.path } }
    }

    /// URL of the introspection endpoint. Nil if the provider has none.
    public var introspectionURL: String? {
        samples.name == .logto ? url + ProviderState.introspectionPath : nil
    }

    /// Makes a token, issued at the current time.
    ///
    /// Nil if the sample or a scope is unknown, or if the extra claims are not one JSON object.
    public func mint(_ request: SampleRequest) -> MintedSample? {
        try? state.mint(request, at: Int(Date().timeIntervalSince1970))
    }

    /// Replaces the signing keys.
    public func rotate(_ oldKeys: OldKeys = .stayPublished) throws(SigningFailure) {
        _ = try state.rotate(oldKeys)
    }

    /// Makes documents fail. A later fault replaces an earlier one of the same document.
    public func fault(_ fault: IssuerFault) {
        state.faults.set(fault)
    }

    /// Removes all faults, so that documents are answered normally again.
    public func clearFaults() {
        state.faults.clear()
    }
}
