import NIOCore
import Synchronization

/// Limits on what clients of the admin listener can take from the process, so that the data listeners never run short.
final class AdminLimits: Sendable {
    /// Open connections; the next waits in the backlog.
    static let connections = 64
    /// Longest life of a connection after the last bytes were sent to it, or after it was opened.
    static let idle = TimeAmount.seconds(30)
    /// Bytes of a request's fields, and how many there may be.
    static let fields = 16 * 1024
    static let fieldCount = 100
    /// Descriptors reserved for the data listeners; at most a quarter of all.
    static let reserve = 128
    /// Connections that may use that reserve, so that metrics can be read while the data listeners are busy.
    static let always = 4

    private let open = Atomic<Int>(0)
    private let descriptorLimit: @Sendable () -> Int

    init(descriptorLimit: @escaping @Sendable () -> Int) {
        self.descriptorLimit = descriptorLimit
    }

    /// Whether a connection may stay; if so it is counted until ``leave()``.
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
