/// The generations of HTTP that a listener speaks.
public enum ListenerProtocols: Sendable, Hashable {
    case http1
    case http2
    case both
}
