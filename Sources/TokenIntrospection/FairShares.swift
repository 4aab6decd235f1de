/// Slots that clients share: each may take another as long as it holds fewer than are free.
///
/// One client alone gets half of them, a second one half of what is left, and so on: the next client finds a free slot,
/// however much those before it take. Clients without a known address are one.
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

    /// Allowed only while a slot is free.
    mutating func take(for client: ClientNetwork?) {
        counts[client, default: 0] += 1
        taken += 1
    }

    mutating func giveBack(by client: ClientNetwork?) {
        guard let count = counts[client] else { return }
        counts[client] = count > 1 ? count - 1 : nil
        taken -= 1
    }

    /// The clients that hold slots.
    var clientCount: Int { counts.count }
}
