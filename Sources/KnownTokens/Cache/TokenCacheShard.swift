import JOSE
import TokenVerification

/// One part of a cache: an index and two rings, and the rules by which records come in and go.
///
/// - A new record goes into the probation ring, whose oldest is evicted.
/// - What leaves probation moves to the main ring if it was used since it was inserted, or if the main ring has unused
///   space; otherwise it is dropped. A flood of tokens that are used once passes through here and touches nothing else.
/// - Where the main ring is full, its oldest is evicted: dropped if it was not used since the last look, else moved to
///   the head with one use less. After 64 moves the new record is dropped instead, so the work for one insertion is
///   bounded.
/// - An expired record is dropped wherever it is found, and never returned.
///
/// The first two follow S3-FIFO (Yang et al., SOSP 2023), the third is CLOCK with two reference bits.
struct TokenCacheShard: ~Copyable {
    private var index: TokenPlaceIndex
    private var probation: TokenRing
    private var main: TokenRing
    private var counters = TokenCacheStatistics()

    /// Records that one insertion may move within the main ring before the new record is dropped instead.
    private static let mostSecondChances = 64

    /// How many the present insertion may still move.
    private var secondChances = 0

    init(_ layout: TokenCacheLayout) {
        index = TokenPlaceIndex(mostSlots: layout.mostSlots)
        probation = TokenRing(capacity: layout.probationBytes)
        main = TokenRing(capacity: layout.mainBytes)
    }

    var statistics: TokenCacheStatistics {
        var statistics = counters
        statistics.entries = index.count
        statistics.bytes = index.bytes + probation.touched + main.touched
        return statistics
    }

    // MARK: Finding

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

    private typealias Found = (slot: Int, place: TokenPlace, header: TokenRecordHeader)

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

    private func header(at place: TokenPlace) -> TokenRecordHeader? {
        switch place.ring {
        case .probation: probation.header(at: place.offset)
        case .main: main.header(at: place.offset)
        }
    }

    /// Only the first few uses are counted: after them a popular record is only read.
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

    // MARK: Taking in

    /// Keeps a record in place of an older one of this token, or nothing of it if the record is too long or past its
    /// time.
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

    private mutating func overwrite(_ place: TokenPlace, with header: TokenRecordHeader, _ record: Span<UInt8>) {
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
        guard index.insert(TokenPlace(.probation, offset: offset), tag: header.tag) else {
            return probation.markDead(at: offset)
        }
        counters.insertions &+= 1
    }

    /// Only records of a few bytes ever fill the index. False if every record that was looked at had been used.
    private mutating func makeIndexRoom(at now: NumericDate) -> Bool {
        for _ in 0..<Self.mostSecondChances where !index.hasRoom {
            if retireExpiredFromMain(at: now) { continue }
            // What was used on probation moves to the main ring, which then evicts one of its own.
            _ = retireFromProbation(at: now)
            if !index.hasRoom { _ = retireFromMain(at: now) }
        }
        return index.hasRoom
    }

    // MARK: Eviction

    /// Takes the oldest record out of probation, moves it to the main ring or drops it; false if there is none.
    private mutating func retireFromProbation(at now: NumericDate) -> Bool {
        guard let (header, offset) = probation.oldest() else { return false }
        let isAdmitted = now < header.until && admits(header, at: now)
        if let slot = index.slot(of: TokenPlace(.probation, offset: offset), tag: header.tag) {
            if isAdmitted {
                // Uses are counted anew in the main ring.
                var admitted = header
                admitted.references = 0
                index.setPlace(TokenPlace(.main, offset: main.append(admitted, from: probation, at: offset)), at: slot)
            } else {
                index.remove(at: slot)
                countEviction(of: header, at: now)
            }
        }
        probation.dropOldest(header)
        return true
    }

    /// Whether the main ring takes a record, and has space for it now.
    private mutating func admits(_ header: TokenRecordHeader, at now: NumericDate) -> Bool {
        guard header.slotSize <= main.capacity else { return false }
        return header.references > 0
            ? makeMainRoom(for: header.slotSize, at: now)
            : index.hasRoom && hasIdleMainRoom(for: header.slotSize, at: now)
    }

    /// Whether there is space without dropping a live record.
    private mutating func hasIdleMainRoom(for size: Int, at now: NumericDate) -> Bool {
        while !main.hasRoom(for: size) {
            guard retireExpiredFromMain(at: now) else { return main.hasRoom(for: size) }
        }
        return true
    }

    /// Drops the oldest record of the main ring if it is past its time; whether it was.
    private mutating func retireExpiredFromMain(at now: NumericDate) -> Bool {
        guard let (header, _) = main.oldest(), now >= header.until else { return false }
        return retireFromMain(at: now)
    }

    /// False if too many records had to be kept on the way.
    private mutating func makeMainRoom(for size: Int, at now: NumericDate) -> Bool {
        while secondChances > 0, !main.hasRoom(for: size) {
            if !retireFromMain(at: now) { secondChances -= 1 }
        }
        return main.hasRoom(for: size)
    }

    /// Drops the oldest record of the main ring, or moves it to the head if it was used; whether it was dropped.
    private mutating func retireFromMain(at now: NumericDate) -> Bool {
        guard let (header, offset) = main.oldest(),
            let slot = index.slot(of: TokenPlace(.main, offset: offset), tag: header.tag)
        else { return false }
        guard header.references == 0 || now >= header.until else {
            var kept = header
            kept.references -= 1
            index.setPlace(TokenPlace(.main, offset: main.moveOldest(kept)), at: slot)
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
