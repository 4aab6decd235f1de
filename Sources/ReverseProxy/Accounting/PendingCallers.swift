import AccessControl
import JOSE
import KnownTokens
import NetworkNames
import RequestHistory
import TokenVerification

/// Requests of callers who sent one a moment ago. They are counted later and together, so that such a request costs no
/// more than a look-up.
///
/// A table of ``size`` entries, each for the requests of one token from one address that ended alike. Another entry
/// with the same place takes it over, and its requests are counted then.
struct PendingCallers: Sendable {
    /// Common properties of the requests of an entry.
    struct Key: Sendable {
        let token: TokenDigest
        let address: IPAddress
        let issuer: IssuerIndex
        /// The rule that permitted them, and its resource. Nil if they were refused.
        let place: (resource: ResourceIndex, rule: RuleIndex)?
    }

    private struct Entry: Sendable {
        /// Number of requests that are not counted yet.
        var count: UInt64 = 0
        var key: Key?
        /// Copy of the token's record, and the address as text. Empty before there is a request to be counted.
        var bytes: [UInt8] = []
        /// Length of the record.
        var recordLength = 0
    }

    /// Number of entries: a power of two.
    static let size = 128
    /// Largest size in bytes of a token's record and of the address as text. Requests with more are counted at once.
    static let longestTexts = 1024
    /// Largest size of the table in bytes, without the headers of its arrays.
    static let mostBytes = size * (MemoryLayout<Entry>.stride + longestTexts)
    private var entries = [Entry](repeating: Entry(), count: size)

    /// Takes a request whose caller has an entry. False, without taking it, if there is none.
    ///
    /// - Parameters:
    ///   - record: cache record of the token.
    ///   - address: the address as text.
    mutating func take(_ key: Key, _ record: borrowing TokenRecordBytes, address: [UInt8]) -> Bool {
        let index = Self.index(key)
        guard let former = entries[index].key, Self.isSame(former, key) else { return false }
        if entries[index].count == 0 {
            let byteCount = record.bytes.count &+ address.count
            guard byteCount <= Self.longestTexts else { return false }
            entries[index].bytes.removeAll(keepingCapacity: true)
            // Exactly as many: an array that grows takes twice as many.
            entries[index].bytes.reserveCapacity(byteCount)
            entries[index].bytes += record.bytes
            entries[index].recordLength = record.bytes.count
            entries[index].bytes += address
        }
        entries[index].count &+= 1
        return true
    }

    /// Gives a caller an entry, whose first request was counted just now. Counts the requests of the former one.
    ///
    /// - Parameter configuration: the one that judged the requests of all entries.
    mutating func begin(
        _ key: Key, into windows: inout CallerWindows, _ configuration: ProxyConfiguration, at now: Int64
    ) {
        let index = Self.index(key)
        if entries[index].count > 0 { count(index, into: &windows, configuration, at: now) }
        entries[index].key = key
    }

    /// Counts the requests of all entries, and removes them.
    mutating func removeAll(into windows: inout CallerWindows, _ configuration: ProxyConfiguration, at now: Int64) {
        for index in entries.indices {
            if entries[index].count > 0 { count(index, into: &windows, configuration, at: now) }
            entries[index].key = nil
        }
    }

    private mutating func count(
        _ index: Int, into windows: inout CallerWindows, _ configuration: ProxyConfiguration, at now: Int64
    ) {
        let entry = entries[index]
        entries[index].count = 0
        guard let key = entry.key else { return }
        let requests = CallerWindows.Requests(
            count: entry.count, configuration: configuration, place: key.place, now: now)
        // in bounds: the record is the first part of the bytes
        let record = entry.bytes.span.extracting(first: entry.recordLength)
        windows.countAddress(key.address, entry.bytes.span.extracting(droppingFirst: entry.recordLength), requests)
        guard let texts = CallerTexts(ofRecord: record) else { return }
        windows.countToken(texts, of: record, key.issuer, requests)
    }

    /// The place of an entry. Clients cannot choose it, because the digest has a secret key.
    private static func index(_ key: Key) -> Int {
        Int(truncatingIfNeeded: key.token.first) & (size - 1)
    }

    /// Compares half of the digests, which is enough: 128 bits.
    private static func isSame(_ one: Key, _ other: Key) -> Bool {
        one.token.first == other.token.first && one.token.second == other.token.second && one.address == other.address
            && one.place?.rule == other.place?.rule && one.place?.resource == other.place?.resource
    }
}
