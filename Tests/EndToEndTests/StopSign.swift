import Synchronization

/// Tells the parts of a test that go on until another part has done its work.
final class StopSign: Sendable {
    private let isUp = Atomic<Bool>(false)

    var isRaised: Bool { isUp.load(ordering: .acquiring) }

    func raise() { isUp.store(true, ordering: .releasing) }
}
