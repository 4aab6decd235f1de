import RequestAuthorization

/// A door: where another proxy asks about its requests, each kind by a protocol of its own.
public enum DoorKind: String, Sendable, Hashable, CaseIterable {
    /// `auth_request`, with the include that Bearward ships.
    case nginx
    /// `forwardAuth`.
    case traefik
    /// `forward_auth`.
    case caddy
    /// The script that Bearward ships.
    case haproxy
    /// `ext_authz` over HTTP.
    case envoyHTTP = "envoy-http"
    /// `ext_authz` over gRPC, and whatever else speaks its protocol.
    case envoyGRPC = "envoy-grpc"

    /// Whether the question is a message, and the answer too.
    public var asksByMessage: Bool { self == .envoyGRPC }

    /// The fields that state the request; nil: the question has its method, target and host.
    public var fields: DoorFields? {
        switch self {
        case .nginx, .haproxy: .original
        case .traefik, .caddy: .forwarded
        case .envoyHTTP, .envoyGRPC: nil
        }
    }

    /// Who makes the client's answer of ours.
    public var answerForm: AnswerForm {
        switch self {
        case .nginx: .fields
        case .haproxy: .marked
        case .traefik, .caddy, .envoyHTTP, .envoyGRPC: .client
        }
    }

    /// Whether a client can get an answer of ours that is a success, or whether the proxy would take it for a
    /// permission.
    public func relays(success status: Int) -> Bool {
        switch self {
        // A message says by itself whether it permits the request.
        case .nginx, .haproxy, .envoyGRPC: true
        case .traefik, .caddy: false
        // 200 alone permits a request.
        case .envoyHTTP: status != 200
        }
    }

    /// How a permission names the fields that the proxy has to remove.
    public var removal: DoorRemoval {
        switch self {
        case .haproxy: .all
        case .envoyHTTP, .envoyGRPC: .unstated
        // They are configured with the names, and remove what the answer does not state.
        case .nginx, .traefik, .caddy: .none
        }
    }
}

/// How a permission names the fields that the proxy has to remove from the client's request.
public enum DoorRemoval: Sendable, Hashable {
    case none
    /// All of them; those that the permission states are set afterwards.
    case all
    /// Those that the permission does not state, because the proxy removes last.
    case unstated
}
