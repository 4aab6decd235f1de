import Synchronization

/// The active faults, shared by the endpoints that fail and the endpoint that sets faults.
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

    /// Returns the index of the key that the next key set leaves out. Nil if it leaves out none.
    func missingKey(of count: Int) -> Int? {
        plan.withLock { plan in plan.missingKey(of: count) }
    }
}
