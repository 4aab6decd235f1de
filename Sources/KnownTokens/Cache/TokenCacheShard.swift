import JOSE
import TokenVerification

/// One shard of the cache: an index and two rings, with the rules by which records are admitted and evicted.
///
/// - A new record goes into the probation ring, which evicts its oldest.
/// - A record that leaves probation moves to the main ring if it was used since it was inserted, or if the main ring
///   has unused space. Otherwise it is dropped. So a flood of tokens that are used once only passes through the
///   probation ring.
/// - A full main ring evicts its oldest record. It is dropped if it was not used since the last visit; otherwise it
///   moves to the head and its use count decreases by one. After 64 moves the new record is dropped instead, so the
///   work for one insertion is bounded.
/// - An expired record is dropped when it is found, and never returned.
///
/// The first two rules follow S3-FIFO (Yang et al., SOSP 2023), the third is CLOCK with two reference bits.
struct TokenCacheShard: ~Copyable {
    private var index: TokenSlotIndex
    private var probation: TokenRing
    private var main: TokenRing
    private var counters = TokenCacheStatistics()

    /// Most records that one insertion may move within the main ring; after that the new record is dropped.
    private static let mostSecondChances = 64

    /// Number of records that the current insertion may still move.
    private var secondChances = 0

    init(_ layout: TokenCacheLayout) {
        index = TokenSlotIndex(mostSlots: layout.mostSlots)
        probation = TokenRing(capacity: layout.probationBytes)
        main = TokenRing(capacity: layout.mainBytes)
    }

    var statistics: TokenCacheStatistics {
        var statistics = counters
        statistics.entries = index.count
        statistics.bytes = index.bytes + probation.touched + main.touched
        return statistics
    }

    // MARK: Lookup

    mutating func lookup(_ digest: TokenDigest, at now: NumericDate, into record: inout TokenRecordBytes) -> Bool {
        guard let found = find(digest) else {
            counters.misses &+= 1
            return false
        }
        guard now < found.header.until else {
            drop(found)
            counters.misses &+= 1
            return false
        }
        counters.hits &+= 1
        noteUse(found)
        switch found.place.ring {
        case .probation: record.replace(with: probation.record(found.header, at: found.place.offset))
        case .main: record.replace(with: main.record(found.header, at: found.place.offset))
        }
        return true
    }

    mutating func remove(_ digest: TokenDigest) {
        if let found = find(digest) { drop(found) }
    }

    private typealias Found = (slot: Int, place: TokenSlot, header: TokenRecordHeader)

    private func find(_ digest: TokenDigest) -> Found? {
        let tag = UInt32(truncatingIfNeeded: digest.first)
        var slot = index.home(of: tag)
        while let entry = index.entry(at: slot) {
            if entry.tag == tag, let header = header(at: entry.place), header.isOf(digest) {
                return (slot, entry.place, header)
            }
            slot = index.slot(after: slot)
        }
        return nil
    }

    private func header(at place: TokenSlot) -> TokenRecordHeader? {
        switch place.ring {
        case .probation: probation.header(at: place.offset)
        case .main: main.header(at: place.offset)
        }
    }

    /// Counts a use of a record. Only the first few are counted, so a popular record is only read afterwards.
    private mutating func noteUse(_ found: Found) {
        guard found.header.references < TokenRecordHeader.mostReferences else { return }
        switch found.place.ring {
        case .probation: probation.setReferences(found.header.references + 1, at: found.place.offset)
        case .main: main.setReferences(found.header.references + 1, at: found.place.offset)
        }
    }

    private mutating func drop(_ found: Found) {
        index.remove(at: found.slot)
        switch found.place.ring {
        case .probation: probation.markDead(at: found.place.offset)
        case .main: main.markDead(at: found.place.offset)
        }
    }

    // MARK: Insertion

    /// Stores a record, and replaces an older one of this token. A record that is too long or expired is not stored,
    /// and the older one is removed.
    mutating func insert(_ digest: TokenDigest, record: Span<UInt8>, until: NumericDate, at now: NumericDate) {
        let older = find(digest)
        guard record.count <= TokenRecordBytes.mostBytes, now < until else {
            if let older { drop(older) }
            return
        }
        let header = TokenRecordHeader(
            of: digest, length: record.count, until: until, references: older?.header.references ?? 0)
        if let older, older.header.slotSize == header.slotSize {
            overwrite(older.place, with: header, record)
        } else {
            if let older { drop(older) }
            append(header, record, at: now)
        }
    }

    private mutating func overwrite(_ place: TokenSlot, with header: TokenRecordHeader, _ record: Span<UInt8>) {
        switch place.ring {
        case .probation: probation.overwrite(header, record: record, at: place.offset)
        case .main: main.overwrite(header, record: record, at: place.offset)
        }
        counters.insertions &+= 1
    }

    private mutating func append(_ header: TokenRecordHeader, _ record: Span<UInt8>, at now: NumericDate) {
        secondChances = Self.mostSecondChances
        guard header.slotSize <= probation.capacity, makeIndexRoom(at: now) else { return }
        while !probation.hasRoom(for: header.slotSize) {
            guard retireFromProbation(at: now) else { return }
        }
        let offset = probation.append(header, record: record)
        guard index.insert(TokenSlot(.probation, offset: offset), tag: header.tag) else {
            return probation.markDead(at: offset)
        }
        counters.insertions &+= 1
    }

    /// Evicts records until the index has space; only many very short records fill it. False if every visited record
    /// had been used.
    private mutating func makeIndexRoom(at now: NumericDate) -> Bool {
        for _ in 0..<Self.mostSecondChances where !index.hasRoom {
            if retireExpiredFromMain(at: now) { continue }
            // A used record moves from probation to the main ring, which then evicts one of its own.
            _ = retireFromProbation(at: now)
            if !index.hasRoom { _ = retireFromMain(at: now) }
        }
        return index.hasRoom
    }

    // MARK: Eviction

    /// Removes the oldest record from probation: moves it to the main ring, or drops it. False if there is none.
    private mutating func retireFromProbation(at now: NumericDate) -> Bool {
        guard let (header, offset) = probation.oldest() else { return false }
        let isAdmitted = now < header.until && admits(header, at: now)
        if let slot = index.slot(of: TokenSlot(.probation, offset: offset), tag: header.tag) {
            if isAdmitted {
                // Uses are counted from zero in the main ring.
                var admitted = header
                admitted.references = 0
                index.setPlace(TokenSlot(.main, offset: main.append(admitted, from: probation, at: offset)), at: slot)
            } else {
                index.remove(at: slot)
                countEviction(of: header, at: now)
            }
        }
        probation.dropOldest(header)
        return true
    }

    /// True if the main ring accepts a record and has space for it now.
    private mutating func admits(_ header: TokenRecordHeader, at now: NumericDate) -> Bool {
        guard header.slotSize <= main.capacity else { return false }
        return header.references > 0
            ? makeMainRoom(for: header.slotSize, at: now)
            : index.hasRoom && hasIdleMainRoom(for: header.slotSize, at: now)
    }

    /// True if the main ring has space, or gets it by dropping expired records only.
    private mutating func hasIdleMainRoom(for size: Int, at now: NumericDate) -> Bool {
        while !main.hasRoom(for: size) {
            guard retireExpiredFromMain(at: now) else { return main.hasRoom(for: size) }
        }
        return true
    }

    /// Drops the oldest record of the main ring if it expired. True if it did.
    private mutating func retireExpiredFromMain(at now: NumericDate) -> Bool {
        guard let (header, _) = main.oldest(), now >= header.until else { return false }
        return retireFromMain(at: now)
    }

    /// Evicts records of the main ring until it has space. False if too many records had been used.
    private mutating func makeMainRoom(for size: Int, at now: NumericDate) -> Bool {
        while secondChances > 0, !main.hasRoom(for: size) {
            if !retireFromMain(at: now) { secondChances -= 1 }
        }
        return main.hasRoom(for: size)
    }

    /// Drops the oldest record of the main ring, or moves it to the head if it was used. True if it was dropped.
    private mutating func retireFromMain(at now: NumericDate) -> Bool {
        guard let (header, offset) = main.oldest(),
            let slot = index.slot(of: TokenSlot(.main, offset: offset), tag: header.tag)
        else { return false }
        guard header.references == 0 || now >= header.until else {
            var kept = header
            kept.references -= 1
            index.setPlace(TokenSlot(.main, offset: main.moveOldest(kept)), at: slot)
            return false
        }
        index.remove(at: slot)
        main.dropOldest(header)
        countEviction(of: header, at: now)
        return true
    }

    private mutating func countEviction(of header: TokenRecordHeader, at now: NumericDate) {
        if now < header.until { counters.evictions &+= 1 }
    }
}
