import AccessControl
import HTTPMessages

/// Conditions under which a resource permits the WebSocket protocol (RFC 6455).
public struct WebSocketPolicy: Sendable, Hashable {
    /// Origins whose pages may open a WebSocket. A browser sends a handshake, with cookies, without a preflight.
    public enum Origins: Sendable, Hashable {
        /// All origins; `Origin` is not checked.
        case unjudged
        /// The request's own origin only.
        case own
        case listed(AllowedOrigins)
    }

    /// Name of the subprotocol after which a handshake may have its token. Nil if it may not.
    public let tokenProtocol: TokenProtocol?
    public let origins: Origins

    public init(tokenProtocol: TokenProtocol? = nil, origins: Origins = .unjudged) {
        self.tokenProtocol = tokenProtocol
        self.origins = origins
    }
}
