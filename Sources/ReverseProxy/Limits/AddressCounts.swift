import NetworkNames
import Synchronization

/// Current count for each address. Its size is bounded by the total count.
final class AddressCounts: Sendable {
    private let counts = Mutex<[IPAddress: Int]>([:])

    /// Increments the count of an address. False, without counting, if the limit is reached.
    func enter(_ address: IPAddress, limit: Int) -> Bool {
        counts.withLock { counts in
            let count = counts[address, default: 0]
            guard count < limit else { return false }
            counts[address] = count + 1
            return true
        }
    }

    func leave(_ address: IPAddress) {
        counts.withLock { counts in
            guard let count = counts[address] else { return }
            counts[address] = count > 1 ? count - 1 : nil
        }
    }
}
