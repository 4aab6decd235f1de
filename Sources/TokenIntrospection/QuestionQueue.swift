/// Questions that wait to be asked. Those of one client are in the order in which they came, and clients take turns.
struct QuestionQueue: Sendable {
    private var lines: [ClientNetwork?: [UInt64]] = [:]
    /// Clients with waiting questions. The first one has the next turn.
    private var turns: [ClientNetwork?] = []

    var isEmpty: Bool { turns.isEmpty }

    mutating func append(_ number: UInt64, of client: ClientNetwork?) {
        if lines[client] == nil { turns.append(client) }
        lines[client, default: []].append(number)
    }

    /// Takes the next question of the next client that may take a slot in `shares`. Nil if no client may.
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

    /// Empties the queue. Returns the questions in the order in which they came.
    mutating func removeAll() -> [UInt64] {
        defer { (lines, turns) = ([:], []) }
        return lines.values.joined().sorted()
    }
}
