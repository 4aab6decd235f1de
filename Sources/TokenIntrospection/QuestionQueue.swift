/// Questions that wait to go out: those of one client in the order in which they came, the clients by turns.
struct QuestionQueue: Sendable {
    private var lines: [ClientNetwork?: [UInt64]] = [:]
    /// The clients that have questions here; the one whose turn is next stands first.
    private var turns: [ClientNetwork?] = []

    var isEmpty: Bool { turns.isEmpty }

    mutating func append(_ number: UInt64, of client: ClientNetwork?) {
        if lines[client] == nil { turns.append(client) }
        lines[client, default: []].append(number)
    }

    /// The next question of the next client that still has a free slot in `shares`; nil if none has.
    mutating func next(within shares: FairShares) -> UInt64? {
        guard let turn = turns.firstIndex(where: { shares.hasRoom(for: $0) }) else { return nil }
        let client = turns.remove(at: turn)
        guard var line = lines.removeValue(forKey: client), !line.isEmpty else { return nil }
        let number = line.removeFirst()
        if !line.isEmpty {
            lines[client] = line
            turns.append(client)
        }
        return number
    }

    mutating func remove(_ number: UInt64, of client: ClientNetwork?) {
        guard var line = lines[client], let index = line.firstIndex(of: number) else { return }
        line.remove(at: index)
        lines[client] = line.isEmpty ? nil : line
        if line.isEmpty { turns.removeAll { $0 == client } }
    }

    /// Empties the queue; in the order in which the questions came.
    mutating func removeAll() -> [UInt64] {
        defer { (lines, turns) = ([:], []) }
        return lines.values.joined().sorted()
    }
}
