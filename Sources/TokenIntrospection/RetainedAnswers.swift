import JOSE
import KeySets

/// Cached answers, limited in number and in bytes. The oldest is dropped first. A lookup does not change the order.
struct RetainedAnswers: Sendable {
    private struct Entry: Sendable {
        let response: IntrospectionResponse
        let validUntil: ContinuousClock.Instant
        let sequence: UInt64
    }

    private struct Place: Sendable {
        let digest: TokenDigest
        let sequence: UInt64
    }

    private let countLimit: Int
    private let byteLimit: Int
    private var entries: [TokenDigest: Entry] = [:]
    /// Digests in the order in which the answers were added. Elements whose answer has been removed since are skipped.
    private var order: [Place] = []
    private var oldest = 0
    private var lastSequence: UInt64 = 0
    private(set) var byteCount = 0

    init(countLimit: Int, byteLimit: Int) {
        self.countLimit = max(0, countLimit)
        self.byteLimit = max(0, byteLimit)
    }

    var count: Int { entries.count }

    func response(for digest: TokenDigest, at now: ContinuousClock.Instant) -> IntrospectionResponse? {
        guard let entry = entries[digest], now < entry.validUntil else { return nil }
        return entry.response
    }

    /// Adds an answer, or replaces the older answer about the same token. Returns the tokens whose answers were
    /// dropped, possibly this token.
    mutating func keep(
        _ response: IntrospectionResponse, for digest: TokenDigest, until validUntil: ContinuousClock.Instant
    )
        -> [TokenDigest]
    {
        remove(digest)
        lastSequence &+= 1
        entries[digest] = Entry(response: response, validUntil: validUntil, sequence: lastSequence)
        byteCount += response.byteCount
        order.append(Place(digest: digest, sequence: lastSequence))
        let evicted = makeRoom()
        if order.count > 2 * entries.count + 64 { compact() }
        return evicted
    }

    /// Removes the expired answers, and returns their tokens.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [TokenDigest] {
        let expired = entries.filter { $0.value.validUntil <= now }.map(\.key)
        for digest in expired { remove(digest) }
        if !expired.isEmpty { compact() }
        return expired
    }

    /// Removes the answer about a token. True if there was one.
    @discardableResult mutating func remove(_ digest: TokenDigest) -> Bool {
        guard let removed = entries.removeValue(forKey: digest) else { return false }
        byteCount -= removed.response.byteCount
        return true
    }

    private mutating func makeRoom() -> [TokenDigest] {
        var evicted: [TokenDigest] = []
        while entries.count > countLimit || byteCount > byteLimit, oldest < order.count {
            let place = order[oldest]
            oldest += 1
            guard entries[place.digest]?.sequence == place.sequence else { continue }
            remove(place.digest)
            evicted.append(place.digest)
        }
        return evicted
    }

    private mutating func compact() {
        order = order[oldest...].filter { place in entries[place.digest]?.sequence == place.sequence }
        oldest = 0
    }
}
