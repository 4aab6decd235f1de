import FoundationEssentials
import JOSESigning
import ProviderFixtures

/// A development server in the role of an identity provider: its documents at its own paths, its key sets in its own
/// shape, and its sample tokens with those that must be refused.
///
/// The issuer in documents and tokens is the provider's; only the endpoints are here. Nobody is authenticated; it must
/// never be reachable by others.
public final class ProviderServer: Sendable {
    /// The base URL of every endpoint.
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

    /// Makes the provider's keys, binds the address and serves until ``stop()``.
    ///
    /// - Parameter clientSecret: what introspection asks for; nil if any secret will do.
    public static func start(
        as provider: ProviderName, on address: ServerAddress = .anyLoopback, clientSecret: String? = nil,
    ) async throws(ServerStartFailure) -> ProviderServer {
        guard let state = try? ProviderState(provider, clientSecret: clientSecret) else { throw .keyUnavailable }
        let endpoints = ProviderEndpoints(state: state)
        let running = try await RunningServer.start(endpoints.router, on: address) { bound in state.bound(as: bound.url)
        }
        return ProviderServer(url: running.address.url, state: state, server: running.server)
    }

    /// Closes every connection at once and returns when the port is free again.
    public func stop() async {
        await server.stop()
    }

    /// URL at which a key set is published. Nil if the provider has none of that name.
    public func keySetURL(_ name: String) -> String? {
        samples.keySets.first { keySet in keySet.name == name }.map { keySet in url + keySet.path }
    }

    /// The metadata documents.
    public var discoveryURLs: [String] {
        samples.keySets.flatMap { keySet in keySet.discovery.map { document in url + document.path } }
    }

    /// Nil if the provider has no introspection endpoint.
    public var introspectionURL: String? {
        samples.name == .logto ? url + ProviderState.introspectionPath : nil
    }

    /// Makes a token, issued now; nil if there is no such sample or scope, or the extra claims are not one JSON object.
    public func mint(_ request: SampleRequest) -> MintedSample? {
        try? state.mint(request, at: Int(Date().timeIntervalSince1970))
    }

    /// Signs with new keys from now on.
    public func rotate(_ oldKeys: OldKeys = .stayPublished) throws(SigningFailure) {
        _ = try state.rotate(oldKeys)
    }

    /// Makes documents fail; a later fault replaces an earlier one of the same document.
    public func fault(_ fault: IssuerFault) {
        state.faults.set(fault)
    }

    /// Answers as usual again.
    public func clearFaults() {
        state.faults.clear()
    }
}
