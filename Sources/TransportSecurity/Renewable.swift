import Synchronization

/// The TLS settings of one side, replaceable at run time: a connection keeps those that it began with.
public final class Renewable<Security: Sendable>: Sendable {
    private let current: Mutex<Security>

    public init(_ security: Security) {
        current = Mutex(security)
    }

    /// The settings of the next connection.
    public var security: Security { current.withLock { $0 } }

    public func replace(by security: Security) {
        current.withLock { $0 = security }
    }
}

/// Of a listener.
public typealias TLSTermination = Renewable<ListenerSecurity>
/// Of upstream targets.
public typealias UpstreamTLS = Renewable<UpstreamSecurity>
