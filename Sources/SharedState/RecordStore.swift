/// Storage of texts that gateways share: ``SharedRecords``, or the store of a simulated fleet.
public protocol RecordStore: Sendable {
    /// Reads the next page of records written after the cursor.
    func read(after cursor: RecordCursor?) async throws(StoreFault) -> RecordPage
    /// Writes at most ``SharedRecords/pageSize`` texts. For each name the greatest text is kept.
    func write(_ records: [SharedRecord]) async throws(StoreFault)
}
