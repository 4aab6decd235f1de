import RequestAuthorization

/// Kind of a door: the forward auth protocol by which another proxy asks Bearward about its requests.
public enum DoorKind: String, Sendable, Hashable, CaseIterable {
    /// nginx `auth_request`, with the include file that Bearward ships.
    case nginx
    /// Traefik `forwardAuth`.
    case traefik
    /// Caddy `forward_auth`.
    case caddy
    /// HAProxy, with the Lua script that Bearward ships.
    case haproxy
    /// Envoy `ext_authz` over HTTP.
    case envoyHTTP = "envoy-http"
    /// Envoy `ext_authz` over gRPC, and other proxies with this protocol.
    case envoyGRPC = "envoy-grpc"

    /// True if question and answer are gRPC messages.
    public var asksByMessage: Bool { self == .envoyGRPC }

    /// The fields that state the request. Nil if the question itself has its method, target and host.
    public var fields: DoorFields? {
        switch self {
        case .nginx, .haproxy: .original
        case .traefik, .caddy: .forwarded
        case .envoyHTTP, .envoyGRPC: nil
        }
    }

    /// Reader of our answer: the client, or a proxy that builds the client's response from it.
    public var answerForm: AnswerForm {
        switch self {
        case .nginx: .fields
        case .haproxy: .marked
        case .traefik, .caddy, .envoyHTTP, .envoyGRPC: .client
        }
    }

    /// True if the proxy relays a successful response of ours to the client. False if it would take the status for a
    /// permission.
    public func relays(success status: Int) -> Bool {
        switch self {
        // A message states by itself whether it permits the request.
        case .nginx, .haproxy, .envoyGRPC: true
        case .traefik, .caddy: false
        // Only 200 permits a request.
        case .envoyHTTP: status != 200
        }
    }

    /// Fields that a permission names for the proxy to remove.
    public var removal: DoorRemoval {
        switch self {
        case .haproxy: .all
        case .envoyHTTP, .envoyGRPC: .unstated
        // These proxies have the names in their configuration, and remove fields that the answer does not state.
        case .nginx, .traefik, .caddy: .none
        }
    }
}

/// Set of fields that a permission names for the proxy to remove from the client's request.
public enum DoorRemoval: Sendable, Hashable {
    case none
    /// All fields; the proxy sets those that the permission states afterwards.
    case all
    /// Only fields that the permission does not state, because the proxy removes fields after setting them.
    case unstated
}
