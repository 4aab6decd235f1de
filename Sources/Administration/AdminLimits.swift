import NIOCore
import Synchronization

/// Limits of what clients of the admin listener can use, so that enough remains for the data listeners and for probes.
///
/// The last ``keptForProbes`` of all ``connections`` serve nothing but probes: `/livez`, `/readyz` and `/metrics`.
///
/// Clients that send no request cannot keep probes out either. If no connection is left, the oldest one without a
/// request is closed once it has had its ``patience``. So clients that wait are accepted in turn, in about that time
/// for each ``connections`` of them.
///
/// Not guaranteed: a probe waits for all that connected before it. Clients that keep asking for probes can use all
/// connections, and one of them that asks nothing more has its connection until ``idle`` ends.
final class AdminLimits: Sendable {
    /// Limit of the number of open connections. Further ones wait in the backlog.
    static let connections = 64
    /// Number of connections that serve only probes. A connection counts as another one from its first request for
    /// something else until it closes.
    static let keptForProbes = 16
    /// Time that a connection has for its first request, if no other one can be accepted.
    static let patience = TimeAmount.seconds(1)
    /// Time after which a connection is closed, counted from the last completed write or from its opening.
    static let idle = TimeAmount.seconds(30)
    /// Limits of a request's fields: their size in bytes (`fields`) and their number (`fieldCount`).
    static let fields = 16 * 1024
    static let fieldCount = 100
    /// Number of file descriptors reserved for the data listeners. At most a quarter of all.
    static let reserve = 128
    /// Number of connections that may use the reserve, so that metrics can be read while the data listeners are busy.
    static let always = 4

    private struct State {
        var connections = AdminConnections(
            most: AdminLimits.connections, mostOthers: AdminLimits.connections - AdminLimits.keptForProbes)
        var channels: [ObjectIdentifier: any Channel] = [:]

        /// Takes out the channel of a connection. Nil if there is no such connection.
        mutating func take(_ connection: ObjectIdentifier?) -> (any Channel)? {
            connection.flatMap { channels.removeValue(forKey: $0) }
        }
    }

    private let state = Mutex(State())
    private let descriptorLimit: @Sendable () -> Int

    init(descriptorLimit: @escaping @Sendable () -> Int) {
        self.descriptorLimit = descriptorLimit
    }

    /// Decides whether a connection may stay open. If true, it is counted until ``leave(_:)``. May close another one.
    func admit(_ channel: any Channel, descriptor: Int) -> Bool {
        let limit = descriptorLimit()
        let hasDescriptor = descriptor < limit - min(Self.reserve, limit / 4)
        let (isAdmitted, superfluous) = state.withLock { state in
            guard hasDescriptor || state.connections.count < Self.always else { return (false, (any Channel)?.none) }
            state.channels[ObjectIdentifier(channel)] = channel
            return (true, state.take(state.connections.connectionOpened(ObjectIdentifier(channel))))
        }
        superfluous?.close(promise: nil)
        return isAdmitted
    }

    func leave(_ channel: any Channel) {
        state.withLock { state in
            state.connections.connectionClosed(ObjectIdentifier(channel))
            _ = state.take(ObjectIdentifier(channel))
        }
    }

    /// Notes that ``patience`` with a connection has ended. May close one.
    func patienceEnded(with channel: any Channel) {
        let superfluous = state.withLock { $0.take($0.connections.patienceEnded(ObjectIdentifier(channel))) }
        superfluous?.close(promise: nil)
    }

    func noteRequest(_ channel: any Channel) {
        state.withLock { $0.connections.requestReceived(ObjectIdentifier(channel)) }
    }

    /// True if a request that is for no probe may be served on a connection. Otherwise the connection must close.
    func serves(_ channel: any Channel) -> Bool {
        state.withLock { $0.connections.serves(ObjectIdentifier(channel)) }
    }
}
