import Synchronization
import TransportSecurity

/// What some targets are shown and verified with, which can be replaced while they are spoken with.
///
/// A connection keeps what it began with.
public final class UpstreamTLS: Sendable {
    private let current: Mutex<UpstreamSecurity>

    public init(_ security: UpstreamSecurity) {
        current = Mutex(security)
    }

    /// What the next connection gets.
    public var security: UpstreamSecurity { current.withLock { $0 } }

    public func replace(by security: UpstreamSecurity) {
        current.withLock { $0 = security }
    }
}
