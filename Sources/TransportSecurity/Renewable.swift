import Synchronization

/// What one side of connections is secured with, which can be replaced while there are some: a connection keeps what it began with.
public final class Renewable<Security: Sendable>: Sendable {
    private let current: Mutex<Security>

    public init(_ security: Security) {
        current = Mutex(security)
    }

    /// What the next connection gets.
    public var security: Security { current.withLock { $0 } }

    public func replace(by security: Security) {
        current.withLock { $0 = security }
    }
}

/// Of a listener.
public typealias TLSTermination = Renewable<ListenerSecurity>
/// Of upstream targets.
public typealias UpstreamTLS = Renewable<UpstreamSecurity>
