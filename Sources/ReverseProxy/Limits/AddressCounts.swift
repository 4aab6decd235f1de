import NetworkNames
import Synchronization

/// How many of something each address has at present; bounded by how many there are in all.
final class AddressCounts: Sendable {
    private let counts = Mutex<[IPAddress: Int]>([:])

    /// Counts one more of an address, up to a limit; false, and nothing counted, if it is reached.
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
