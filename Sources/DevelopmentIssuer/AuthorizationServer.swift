import FoundationEssentials
import JOSESigning

/// A small authorization server (RFC 6749) for development and tests. It issues any token that is requested.
///
/// It publishes its metadata and key set, has a token endpoint for the client credentials grant, rotates keys and fails
/// on demand. It authenticates nobody, so it must never be reachable by others.
public final class AuthorizationServer: Sendable {
    /// The issuer identifier, which is also the base URL of all endpoints.
    public let issuer: String
    private let state: IssuerState
    private let server: RunningServer

    private init(issuer: String, state: IssuerState, server: RunningServer) {
        self.issuer = issuer
        self.state = state
        self.server = server
    }

    /// Generates a key, binds the address and serves until ``stop()``.
    public static func start(
        on address: ServerAddress = .anyLoopback, algorithm: DevelopmentAlgorithm = .rs256,
    ) async throws(ServerStartFailure) -> AuthorizationServer {
        guard let state = try? IssuerState(algorithm: algorithm) else { throw .keyUnavailable }
        let endpoints = IssuerEndpoints(state: state)
        let running = try await RunningServer.start(endpoints.router, on: address) { bound in state.bound(as: bound.url)
        }
        return AuthorizationServer(issuer: running.address.url, state: state, server: running.server)
    }

    /// Closes all connections at once, and returns when the port is free again.
    public func stop() async {
        await server.stop()
    }

    /// Makes a token with the contents of the request.
    public func mint(_ request: TokenRequest) throws(MintingFailure) -> String {
        try state.mint(request, at: Int(Date().timeIntervalSince1970))
    }

    /// Replaces all signing keys, and returns the ID of the new key for the issuer's own algorithm.
    @discardableResult
    public func rotate(_ oldKeys: OldKeys = .stayPublished) throws(SigningFailure) -> String {
        try state.rotate(oldKeys)
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
