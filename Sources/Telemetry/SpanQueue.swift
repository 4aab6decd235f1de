import Synchronization

/// Spans that wait to be exported. Event loops add them and never wait; one exporter takes them.
///
/// The waiting spans are bounded. Spans beyond the bound are dropped and counted.
public final class SpanQueue: Sendable {
    public struct Batch: Sendable {
        /// `spans` fields, as ``SpanBatch`` writes them.
        public let bytes: [UInt8]
        public let count: Int
    }

    private struct State {
        /// Called when enough spans wait to be sent. Nil if nothing takes them.
        var listener: (@Sendable () -> Void)?
        var batches: [Batch] = []
        var byteCount = 0
        var dropped: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Largest size of the spans that wait, in bytes.
    public static let longest = 8 * 1024 * 1024
    /// Size from which the exporter is told that spans wait, in bytes.
    private static let announced = 512 * 1024

    public init() {}

    /// Number of spans that were dropped because too many waited.
    public var dropped: UInt64 { state.withLock { $0.dropped } }

    /// Adds spans; never waits. Without an exporter they are discarded.
    public func add(_ bytes: [UInt8], count: Int) {
        let listener: (@Sendable () -> Void)? = state.withLock { state in
            guard state.listener != nil else { return nil }
            guard state.byteCount + bytes.count <= Self.longest else {
                state.dropped += UInt64(count)
                return nil
            }
            let before = state.byteCount
            state.batches.append(Batch(bytes: bytes, count: count))
            state.byteCount += bytes.count
            return before < Self.announced && state.byteCount >= Self.announced ? state.listener : nil
        }
        listener?()
    }

    /// Takes the oldest spans.
    ///
    /// - Parameter most: size in bytes. One batch is taken even if it is larger.
    public func take(atMost most: Int) -> [Batch] {
        state.withLock { state in
            var (count, size) = (0, 0)
            for batch in state.batches {
                guard count == 0 || size + batch.bytes.count <= most else { break }
                count += 1
                size += batch.bytes.count
            }
            let taken = Array(state.batches.prefix(count))
            state.batches.removeFirst(count)
            state.byteCount -= size
            return taken
        }
    }

    /// Begins or ends the collection of spans.
    ///
    /// - Parameter listener: called on any thread when enough spans wait. Nil ends the collection and discards what
    ///   waits.
    public func collect(_ listener: (@Sendable () -> Void)?) {
        state.withLock { state in
            state.listener = listener
            guard listener == nil else { return }
            state.batches = []
            state.byteCount = 0
        }
    }
}
