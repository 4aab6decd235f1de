/// The active faults, at most one per document.
struct FaultPlan: Sendable, Hashable {
    private var faults: [IssuerDocument: IssuerFault] = [:]
    /// Index of the key to leave out of the next key set, for ``FaultyKeys/oneMissingInTurn``.
    private var turn = 0

    mutating func set(_ fault: IssuerFault) {
        for document in fault.documents { faults[document] = fault }
    }

    mutating func clear() {
        faults = [:]
        turn = 0
    }

    /// Returns the index of the key that the next key set leaves out: each key in turn. Nil after the last key, once.
    mutating func missingKey(of count: Int) -> Int? {
        guard count > 0 else { return nil }
        let index = turn % (count + 1)
        turn = (index + 1) % (count + 1)
        return index < count ? index : nil
    }

    /// Returns the fault for the next answer, and counts the answer. Nil if the document has no fault, or its count is
    /// used up; a used-up fault is removed.
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

    /// Documents with an active fault.
    var documents: [IssuerDocument] {
        IssuerDocument.allCases.filter { document in faults[document].map { fault in fault.answers != 0 } ?? false }
    }
}
