import NIOCore

/// Copy of a request's body, kept as long as the request may have to be sent again.
///
/// It is whole or empty: beyond a limit everything is dropped, and the request can be sent only once.
struct HeldBody {
    /// Purpose for which a body is held.
    enum Purpose: Hashable {
        /// Sending the request again if its upstream did not process it. If the body is dropped, the request still
        /// continues.
        case replay
        /// Judging the request by its body. If the body is dropped, the request is refused.
        case verdict

        /// True if the request continues without the held body, so that it is dropped when memory is short. A body that
        /// a verdict needs is kept.
        var isDispensable: Bool {
            switch self {
            case .replay: true
            case .verdict: false
            }
        }
    }

    /// Limits on held bytes.
    struct Limits {
        /// Limit for one body.
        var each: Int
        /// Limit for all bodies together.
        var total: Int
    }

    /// Reason why the body is not held any more.
    enum Loss: Hashable {
        case tooLarge
        /// All held bodies together reached the limit.
        case budgetSpent
    }

    let purpose: Purpose
    /// True if every byte that was taken is held.
    private(set) var isWhole = true
    /// Held bytes. Nil if none were taken, or they were dropped.
    private var bytes: HeldBytes?

    init(for purpose: Purpose = .replay) {
        self.purpose = purpose
    }

    /// Held content from the first byte on. Nil if there is none, or it was dropped.
    var content: ByteBuffer? { bytes.flatMap { $0.content.readableBytes > 0 ? $0.content : nil } }
    /// Lines of the trailer section.
    var trailers: [UInt8] { bytes?.trailers ?? [] }

    /// Keeps a copy of a body part and its trailers. It copies because the receive buffer may be much larger.
    ///
    /// - Returns: The reason why everything is dropped now. Nil if it is held.
    mutating func keep(_ part: BodyPart, limits: Limits, budget: HeldBodyBudget) -> Loss? {
        if let content = part.content, content.readableBytes > 0,
            let loss = keep(content.readableBytes, limits, budget, { $0.append(content, limit: limits.total) })
        {
            return loss
        }
        guard !part.trailers.isEmpty else { return nil }
        return keep(part.trailers.count, limits, budget) { $0.append(trailers: part.trailers, limit: limits.total) }
    }

    private mutating func keep(
        _ count: Int, _ limits: Limits, _ budget: HeldBodyBudget, _ append: (HeldBytes) -> Bool
    ) -> Loss? {
        guard isWhole else { return nil }
        guard (bytes?.byteCount ?? 0) + count <= limits.each else {
            letGo()
            return .tooLarge
        }
        let bytes = bytes ?? HeldBytes(budget)
        guard append(bytes) else {
            letGo()
            return .budgetSpent
        }
        self.bytes = bytes
        return nil
    }

    /// Drops everything: the request will not be sent again.
    mutating func letGo() {
        bytes = nil
        isWhole = false
    }
}

/// Bytes of a held body. They count against the budget as long as this object lives, however its request ends.
private final class HeldBytes {
    private(set) var content = ByteBuffer()
    private(set) var trailers: [UInt8] = []
    private let budget: HeldBodyBudget
    /// Bytes taken from the budget: the buffers' capacity, not their content.
    private var taken = 0
    private var capacity = 0

    init(_ budget: HeldBodyBudget) {
        self.budget = budget
    }

    deinit { budget.giveBack(taken) }

    var byteCount: Int { content.readableBytes + trailers.count }

    /// - Returns: False if the budget is exhausted.
    func append(_ part: ByteBuffer, limit: Int) -> Bool {
        let needed = Self.capacity(content.readableBytes + part.readableBytes)
        if needed > capacity {
            guard take(needed - capacity, limit: limit) else { return false }
            capacity = needed
            content.reserveCapacity(needed)
        }
        content.writeImmutableBuffer(part)
        return true
    }

    /// - Returns: False if the budget is exhausted.
    func append(trailers lines: [UInt8], limit: Int) -> Bool {
        guard take(lines.count, limit: limit) else { return false }
        trailers = lines
        return true
    }

    private func take(_ count: Int, limit: Int) -> Bool {
        guard budget.take(count, limit: limit) else { return false }
        taken += count
        return true
    }

    /// Capacity of a buffer for this many bytes: buffers grow in powers of two.
    private static func capacity(_ byteCount: Int) -> Int {
        byteCount <= 1 ? byteCount : 1 << (Int.bitWidth - (byteCount - 1).leadingZeroBitCount)
    }
}

@available(*, unavailable)
extension HeldBytes: Sendable {}
