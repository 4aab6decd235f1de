import NIOCore
import Synchronization

/// Limits of what clients of the admin listener can use, so that enough remains for the data listeners.
final class AdminLimits: Sendable {
    /// Limit of the number of open connections. Further ones wait in the backlog.
    static let connections = 64
    /// Time after which a connection is closed, counted from the last completed write or from its opening.
    static let idle = TimeAmount.seconds(30)
    /// Limits of a request's fields: their size in bytes (`fields`) and their number (`fieldCount`).
    static let fields = 16 * 1024
    static let fieldCount = 100
    /// Number of file descriptors reserved for the data listeners. At most a quarter of all.
    static let reserve = 128
    /// Number of connections that may use the reserve, so that metrics can be read while the data listeners are busy.
    static let always = 4

    private let open = Atomic<Int>(0)
    private let descriptorLimit: @Sendable () -> Int

    init(descriptorLimit: @escaping @Sendable () -> Int) {
        self.descriptorLimit = descriptorLimit
    }

    /// Decides whether a connection may stay open. If true, it is counted until ``leave()``.
    func admit(descriptor: Int) -> Bool {
        let count = open.wrappingAdd(1, ordering: .relaxed).newValue
        let limit = descriptorLimit()
        if count <= Self.always || descriptor < limit - min(Self.reserve, limit / 4) { return true }
        leave()
        return false
    }

    func leave() {
        open.wrappingSubtract(1, ordering: .relaxed)
    }
}
