/// HTTP versions that a listener or upstream connection speaks.
public enum ListenerProtocols: Sendable, Hashable {
    case http1
    case http2
    case both
}
