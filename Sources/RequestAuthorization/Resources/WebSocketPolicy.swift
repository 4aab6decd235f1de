import AccessControl
import HTTPMessages

/// How a resource takes the WebSocket protocol (RFC 6455).
public struct WebSocketPolicy: Sendable, Hashable {
    /// Origins whose pages may open a WebSocket. A browser asks nobody before it sends a handshake, and sends cookies
    /// with it.
    public enum Origins: Sendable, Hashable {
        /// All, and none is looked at.
        case unjudged
        /// The request's own alone.
        case own
        case listed(AllowedOrigins)
    }

    /// The name of the subprotocol behind which a handshake may have its token. Nil if none may.
    public let tokenProtocol: TokenProtocol?
    public let origins: Origins

    public init(tokenProtocol: TokenProtocol? = nil, origins: Origins = .unjudged) {
        self.tokenProtocol = tokenProtocol
        self.origins = origins
    }
}
