/// The streams of a session that live, by their slots.
struct StreamTable {
    private var records: ContiguousArray<StreamRecord?> = []
    private var freeSlots: ContiguousArray<Int32> = []
    private(set) var count = 0

    /// Gives a record a slot.
    mutating func insert(_ record: StreamRecord, number: Int32) {
        record.number = number
        count &+= 1
        if let slot = freeSlots.popLast(), records.indices.contains(Int(slot)) {
            record.slot = slot
            records[Int(slot)] = record
        } else {
            record.slot = Int32(truncatingIfNeeded: records.count)
            records.append(record)
        }
    }

    /// Takes a stream out; its slot is used again once it is released.
    mutating func remove(_ record: StreamRecord) {
        guard self.record(in: record.slot, number: record.number) === record else { return }
        records[Int(record.slot)] = nil  // in bounds: it was just found there
        count &-= 1
    }

    mutating func release(_ slot: Int32) { freeSlots.append(slot) }

    /// The stream in a slot, if it is the one that is meant.
    func record(in slot: Int32, number: Int32) -> StreamRecord? {
        let index = Int(slot)
        guard records.indices.contains(index), let record = records[index], record.number == number else { return nil }
        return record
    }

    func record(of stream: HTTP2Stream) -> StreamRecord? { record(in: stream.slot, number: stream.number) }

    var all: [StreamRecord] { records.compactMap(\.self) }
}
