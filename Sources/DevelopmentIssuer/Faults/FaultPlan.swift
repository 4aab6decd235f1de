/// The faults in force, one at most per document.
struct FaultPlan: Sendable, Hashable {
    private var faults: [IssuerDocument: IssuerFault] = [:]
    /// Index of the key to leave out next, if the keys are missing in turn.
    private var turn = 0

    mutating func set(_ fault: IssuerFault) {
        for document in fault.documents { faults[document] = fault }
    }

    mutating func clear() {
        faults = [:]
        turn = 0
    }

    /// Index of the key that the next answer leaves out: each key in turn, and after the last one none.
    mutating func missingKey(of count: Int) -> Int? {
        guard count > 0 else { return nil }
        let index = turn % (count + 1)
        turn = (index + 1) % (count + 1)
        return index < count ? index : nil
    }

    /// The fault for the next response; a fault whose count is reached is removed.
    mutating func next(for document: IssuerDocument) -> IssuerFault? {
        guard let fault = faults[document] else { return nil }
        guard let answers = fault.answers else { return fault }
        guard answers > 0 else {
            faults[document] = nil
            return nil
        }
        faults[document]?.answers = answers - 1
        return fault
    }

    /// The documents with a fault.
    var documents: [IssuerDocument] {
        IssuerDocument.allCases.filter { document in faults[document].map { fault in fault.answers != 0 } ?? false }
    }
}
