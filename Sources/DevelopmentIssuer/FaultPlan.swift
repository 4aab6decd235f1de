/// The faults in force, one at most per document.
struct FaultPlan: Sendable, Hashable {
    private var faults: [IssuerDocument: IssuerFault] = [:]

    mutating func set(_ fault: IssuerFault) {
        for document in fault.documents { faults[document] = fault }
    }

    mutating func clear() {
        faults = [:]
    }

    /// The fault for the next answer; one that has been counted out is gone.
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

    /// The documents that do not answer as they should.
    var documents: [IssuerDocument] {
        IssuerDocument.allCases.filter { document in faults[document].map { fault in fault.answers != 0 } ?? false }
    }
}
