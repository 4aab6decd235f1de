import Synchronization

/// The faults in force, shared by the endpoints that fail and the one that orders it.
final class FaultSwitch: Sendable {
    private let plan = Mutex(FaultPlan())

    var documents: [IssuerDocument] {
        plan.withLock { plan in plan.documents }
    }

    func set(_ fault: IssuerFault) {
        plan.withLock { plan in plan.set(fault) }
    }

    func clear() {
        plan.withLock { plan in plan.clear() }
    }

    func next(for document: IssuerDocument) -> IssuerFault? {
        plan.withLock { plan in plan.next(for: document) }
    }

    /// Index of the key that the next answer leaves out. Nil for none.
    func missingKey(of count: Int) -> Int? {
        plan.withLock { plan in plan.missingKey(of: count) }
    }
}
