/// Slots that clients share. A client may take another slot as long as it holds fewer slots than are free.
///
/// A single client gets half of the slots, a second one half of the rest, and so on. So the next client always finds a
/// free slot, regardless of how many the others hold. All clients without a known address count as one.
struct FairShares: Sendable {
    let limit: Int
    private(set) var taken = 0
    private var counts: [ClientNetwork?: Int] = [:]

    init(limit: Int) {
        self.limit = max(0, limit)
    }

    func hasRoom(for client: ClientNetwork?) -> Bool {
        counts[client, default: 0] < limit - taken
    }

    /// Takes a slot. The caller must check ``hasRoom(for:)`` first.
    mutating func take(for client: ClientNetwork?) {
        counts[client, default: 0] += 1
        taken += 1
    }

    mutating func giveBack(by client: ClientNetwork?) {
        guard let count = counts[client] else { return }
        counts[client] = count > 1 ? count - 1 : nil
        taken -= 1
    }

    /// Number of clients that hold slots.
    var clientCount: Int { counts.count }
}
