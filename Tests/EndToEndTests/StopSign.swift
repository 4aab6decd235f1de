import Synchronization

/// A sign that tells the running parts of a test that another part has done its work.
final class StopSign: Sendable {
    private let isUp = Atomic<Bool>(false)

    var isRaised: Bool { isUp.load(ordering: .acquiring) }

    func raise() { isUp.store(true, ordering: .releasing) }
}
