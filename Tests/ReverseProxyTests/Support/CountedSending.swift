import Synchronization
import Testing

/// A long run of bytes sent by a peer and counted as the system accepts them, to measure back-pressure.
final class CountedSending: Sendable {
    /// More than the system's buffers on the way can hold.
    static let volume = 48 * 1024 * 1024

    private let byteCount: Int
    private let taken: Progress
    private let task: Task<Void, any Error>

    private final class Progress: Sendable {
        let count = Atomic(0)
    }

    init(_ bytes: [UInt8], from peer: RawPeer) {
        let taken = Progress()
        (byteCount, self.taken) = (bytes.count, taken)
        task = Task {
            for start in stride(from: 0, to: bytes.count, by: 64 * 1024) {
                let part = bytes[start..<min(start + 64 * 1024, bytes.count)]
                try await peer.sendAll(Array(part))
                taken.count.add(part.count, ordering: .relaxed)
            }
        }
    }

    /// Waits until the system accepts no more. Returns true if the sender is blocked before all was accepted.
    func isHeldUp() async throws -> Bool {
        var (last, since) = (-1, ContinuousClock.now)
        while last < byteCount, ContinuousClock.now - since < .milliseconds(500) {
            let count = taken.count.load(ordering: .relaxed)
            if count != last { (last, since) = (count, ContinuousClock.now) }
            try await Task.sleep(for: .milliseconds(10))
        }
        return last < byteCount
    }

    /// Waits until all bytes were accepted.
    func finish() async throws { try await task.value }

    /// Waits for the end of the sending, whether it succeeds or fails.
    func end() async { _ = await task.result }

    /// A sample of bytes with a long period.
    static func sample(count: Int = volume) -> [UInt8] {
        // The block has an odd length, so that a lost or repeated piece is detected.
        let block = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + block.count)
        while bytes.count < count { bytes += block }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
