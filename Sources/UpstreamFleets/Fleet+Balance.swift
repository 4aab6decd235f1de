import ProxySettings

/// Choice of one target among several for a request.
extension Fleet {
    mutating func choice(among candidates: [Int], _ key: UInt64?, at now: Int64) -> Int {
        guard candidates.count > 1 else { return candidates[0] }
        switch balance {
        case .roundRobin:
            return hasWeights ? weightedTurn(among: candidates, at: now) : nextTurn(among: candidates, at: now)
        case .leastRequests: return leastLoaded(among: candidates, at: now)
        case .hash:
            guard let key else { return leastLoaded(among: candidates, at: now) }
            return home(of: key, among: candidates)
        }
    }

    // MARK: Round robin

    private mutating func nextTurn(among candidates: [Int], at now: Int64) -> Int {
        for _ in candidates {
            turn = turn &+ 1 < candidates.count ? turn &+ 1 : 0
            if takesShare(candidates[turn], at: now) { break }
        }
        return candidates[turn]
    }

    /// Smooth weighted round robin: spreads a target's turns. Weights 2 and 1 give the order A B A, not A A B.
    private mutating func weightedTurn(among candidates: [Int], at now: Int64) -> Int {
        var total = 0.0
        var first = candidates[0]
        for index in candidates {
            let weight = targets[index].weight * share(of: index, at: now)
            total += weight
            targets[index].credit += weight
            if targets[index].credit > targets[first].credit { first = index }
        }
        targets[first].credit -= total
        return first
    }

    // MARK: Least requests

    /// Number of candidates below which all are compared. With two targets, two draws are often the same one.
    private static let scanned = 4

    private mutating func leastLoaded(among candidates: [Int], at now: Int64) -> Int {
        guard candidates.count >= Self.scanned else { return scan(candidates, at: now) }
        let first = draw(among: candidates, at: now)
        var second = draw(among: candidates, at: now)
        if second == first { second = other(than: first, among: candidates) }
        return load(of: second, at: now) < load(of: first, at: now) ? second : first
    }

    /// Target with the least load. Among equals one is drawn, by weight.
    private mutating func scan(_ candidates: [Int], at now: Int64) -> Int {
        var (least, chosen, weights) = (Double.infinity, candidates[0], 0.0)
        for index in candidates {
            let load = load(of: index, at: now)
            guard load <= least else { continue }
            let weight = targets[index].weight
            if load < least { (least, weights) = (load, 0) }
            weights += weight
            // Each of the equals so far has had its fair chance.
            if weights == weight || draws.fraction() * weights < weight { chosen = index }
        }
        return chosen
    }

    private mutating func other(than index: Int, among candidates: [Int]) -> Int {
        let place = draws.index(below: candidates.count &- 1)
        return candidates[place] == index ? candidates[candidates.count &- 1] : candidates[place]
    }

    /// Requests in flight for each unit of weight. A target more than twice as slow as the best counts as if it had
    /// more requests. A target that has just come back counts as if it had less weight.
    @inline(__always)
    private func load(of index: Int, at now: Int64) -> Double {
        // Passed field by field: for a method call, the target would be copied.
        let slowness = FleetTarget.slowness(
            targets[index].latency, noted: targets[index].latencyAt, best: bestLatency, at: now)
        return (Double(targets[index].inFlight) * slowness + slowness - 1)
            / (targets[index].weight * share(of: index, at: now))
    }

    /// Random candidate; a heavier one is drawn more often.
    @inline(__always)
    private mutating func draw(among candidates: [Int], at now: Int64) -> Int {
        guard hasWeights || slowStart > 0 else { return candidates[draws.index(below: candidates.count)] }
        return drawByShare(among: candidates, at: now)
    }

    private mutating func drawByShare(among candidates: [Int], at now: Int64) -> Int {
        for _ in 0..<Self.scanned {
            let index = hasWeights ? drawByWeight(among: candidates) : candidates[draws.index(below: candidates.count)]
            if takesShare(index, at: now) { return index }
        }
        return candidates[draws.index(below: candidates.count)]
    }

    private mutating func drawByWeight(among candidates: [Int]) -> Int {
        let total = candidates.reduce(0) { $0 + targets[$1].weight }
        var rest = draws.fraction() * total
        for index in candidates {
            rest -= targets[index].weight
            if rest < 0 { return index }
        }
        return candidates[candidates.count &- 1]
    }

    // MARK: Hash

    /// Multiple of the mean load that a target may have before its keys go to other targets.
    private static let mostLoad = 1.25

    /// Target of a key, by rendezvous hashing. A target that comes or goes moves only its own keys.
    private func home(of key: UInt64, among candidates: [Int]) -> Int {
        let total = candidates.reduce(0) { $0 + targets[$1].weight }
        let inFlight = candidates.reduce(1.0) { $0 + Double(targets[$1].inFlight) }
        var (best, home) = (-Double.infinity, candidates[0])
        for index in candidates {
            let target = targets[index]
            let bound = (inFlight * target.weight / total * Self.mostLoad).rounded(.up)
            guard Double(target.inFlight) < bound else { continue }
            let score = target.weight * Draws.affinity(key, target.identity)
            if score > best { (best, home) = (score, index) }
        }
        return home
    }

    // MARK: Slow start

    /// Share of its weight that counts for a target in slow start; at least a tenth.
    @inline(__always)
    private func share(of index: Int, at now: Int64) -> Double {
        guard slowStart > 0, let since = targets[index].returnedAt else { return 1 }
        return min(1, max(0.1, Double(now &- since) / slowStart))
    }

    private mutating func takesShare(_ index: Int, at now: Int64) -> Bool {
        let share = share(of: index, at: now)
        return share >= 1 || draws.fraction() < share
    }
}
