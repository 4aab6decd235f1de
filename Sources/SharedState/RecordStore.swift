/// Where gateways share texts: ``SharedRecords``, or the store of a fleet that is simulated.
public protocol RecordStore: Sendable {
    /// The next page of what was written since.
    func read(after cursor: RecordCursor?) async throws(StoreFault) -> RecordPage
    /// Writes at most ``SharedRecords/pageSize`` texts; of each name the greatest stays.
    func write(_ records: [SharedRecord]) async throws(StoreFault)
}
