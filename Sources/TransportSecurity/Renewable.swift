import Synchronization

/// TLS settings that are replaceable at run time. A connection keeps the settings it began with.
public final class Renewable<Security: Sendable>: Sendable {
    private let current: Mutex<Security>

    public init(_ security: Security) {
        current = Mutex(security)
    }

    /// Settings for the next connection.
    public var security: Security { current.withLock { $0 } }

    public func replace(by security: Security) {
        current.withLock { $0 = security }
    }
}

/// Replaceable TLS settings of a listener.
public typealias TLSTermination = Renewable<ListenerSecurity>
/// Replaceable TLS settings for upstream targets.
public typealias UpstreamTLS = Renewable<UpstreamSecurity>
