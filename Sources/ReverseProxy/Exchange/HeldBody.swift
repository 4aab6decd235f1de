import NIOCore

/// What was taken of a request's body, kept as long as the request may have to be sent again.
///
/// It is whole or nothing: past a limit it lets go of everything, and the request can be sent once only.
struct HeldBody {
    /// What a body is held for.
    enum Purpose: Hashable {
        /// To send the request again if its upstream did not process it. Without it the request still goes on.
        case replay
        /// To judge the request by it. Without it the request is refused.
        case verdict

        /// Whether the request goes on without it, so that it is let go of when memory is short. A body that a verdict
        /// needs is not.
        var isDispensable: Bool {
            switch self {
            case .replay: true
            case .verdict: false
            }
        }
    }

    /// How much may be held, in bytes.
    struct Limits {
        /// Of one body.
        var each: Int
        /// Of all bodies together.
        var total: Int
    }

    /// Why nothing is held any more.
    enum Loss: Hashable {
        case tooLarge
        /// All bodies together hold as much as they may.
        case budgetSpent
    }

    let purpose: Purpose
    /// Whether every byte that was taken is here.
    private(set) var isWhole = true
    /// Nil if there are no bytes, or they are not held.
    private var bytes: HeldBytes?

    init(for purpose: Purpose = .replay) {
        self.purpose = purpose
    }

    /// The content from the first byte on; nil if there is none, or it is not held.
    var content: ByteBuffer? { bytes.flatMap { $0.content.readableBytes > 0 ? $0.content : nil } }
    /// The trailer section's lines.
    var trailers: [UInt8] { bytes?.trailers ?? [] }

    /// Takes a copy of what was received, because the buffer that it came in may be much larger, and of the trailers
    /// behind it.
    ///
    /// - Returns: why everything is let go of now; nil if it is not.
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

    /// The request will not be sent again.
    mutating func letGo() {
        bytes = nil
        isWhole = false
    }
}

/// The bytes of a body that is held. They are the budget's as long as this lives, however its request ends.
private final class HeldBytes {
    private(set) var content = ByteBuffer()
    private(set) var trailers: [UInt8] = []
    private let budget: HeldBodyBudget
    /// What was taken of the budget: the sizes of the buffers, and not of what is in them.
    private var taken = 0
    private var capacity = 0

    init(_ budget: HeldBodyBudget) {
        self.budget = budget
    }

    deinit { budget.giveBack(taken) }

    var byteCount: Int { content.readableBytes + trailers.count }

    /// - Returns: false if the budget has no more.
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

    /// - Returns: false if the budget has no more.
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

    /// The size of a buffer for so many bytes: buffers grow in powers of two.
    private static func capacity(_ byteCount: Int) -> Int {
        byteCount <= 1 ? byteCount : 1 << (Int.bitWidth - (byteCount - 1).leadingZeroBitCount)
    }
}

@available(*, unavailable)
extension HeldBytes: Sendable {}
