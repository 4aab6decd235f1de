import Synchronization

@testable import SharedState

/// Store of shared denials, as its two scripts define it: texts by name, in the order in which they were written.
final class SimulatedRecordStore: RecordStore {
    private struct State {
        var isUp = true
        var texts: [[UInt8]: [UInt8]] = [:]
        var places: [[UInt8]: Int] = [:]
        var last = 0
        var questions = 0
    }

    private let state = Mutex(State())
    private let orderLength: Int

    init(orderLength: Int) {
        self.orderLength = orderLength
    }

    func setUp(_ isUp: Bool) { state.withLock { $0.isUp = isUp } }

    /// Deletes everything, like a restart of the store.
    func forget() {
        state.withLock { state in
            (state.texts, state.places, state.last) = ([:], [:], 0)
        }
    }

    var questions: Int { state.withLock { $0.questions } }

    func read(after cursor: RecordCursor?) async throws(StoreFault) -> RecordPage {
        try state.withLock { state throws(StoreFault) in
            state.questions += 1
            guard state.isUp else { throw .connection("it is down") }
            let known = cursor.flatMap { cursor in
                Int(String(decoding: cursor.place, as: UTF8.self)).map { ($0, cursor.name) }
            }
            let place = known.flatMap { place, name in state.places[name] == place ? place : nil } ?? 0
            let found = state.places.filter { $0.value > place }.sorted { $0.value < $1.value }.prefix(
                RecordScripts.pageSize)
            let next = found.last.map { RecordCursor(place: Array("\($0.value)".utf8), name: $0.key) }
            return RecordPage(
                isAnew: place == 0, texts: found.compactMap { state.texts[$0.key] },
                cursor: next ?? (place == 0 ? nil : cursor),
                isLast: found.count < RecordScripts.pageSize)
        }
    }

    func write(_ records: [SharedRecord]) async throws(StoreFault) {
        try state.withLock { state throws(StoreFault) in
            state.questions += 1
            guard state.isUp else { throw .connection("it is down") }
            for record in records {
                let known = state.texts[record.name]?.prefix(orderLength)
                if let known, !known.lexicographicallyPrecedes(record.text.prefix(orderLength)) { continue }
                state.last += 1
                state.texts[record.name] = record.text
                state.places[record.name] = state.last
            }
        }
    }
}
