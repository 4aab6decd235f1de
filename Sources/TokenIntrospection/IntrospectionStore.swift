import JOSE
import KeySets
import Synchronization
import TokenVerification

/// Cached answers of one issuer. Its lifecycle writes them, and every request reads them.
///
/// ``IntrospectionLifecycle`` decides how many answers are cached, and for how long.
public final class IntrospectionStore: Sendable {
    private struct Entry: Sendable {
        let response: IntrospectionResponse
        let validUntil: NumericDate
    }

    private let entries = Mutex<[TokenDigest: Entry]>([:])
    private let hitCount = Atomic<UInt64>(0)
    private let missCount = Atomic<UInt64>(0)

    public init() {}

    /// The cached answer about a token. Nil if there is none that may still be used. Never waits for the issuer.
    ///
    /// Expiry is checked with the wall clock, as in all checks of a request. The lifecycle also removes each entry
    /// within a second after it expired by the continuous clock. So setting the wall clock back does not extend an
    /// entry.
    public func answer(for digest: TokenDigest, at now: NumericDate) -> IntrospectionResponse? {
        guard let entry = entries.withLock({ $0[digest] }), now < entry.validUntil else {
            missCount.wrappingAdd(1, ordering: .relaxed)
            return nil
        }
        hitCount.wrappingAdd(1, ordering: .relaxed)
        return entry.response
    }

    /// Number of lookups that found an answer.
    public var hits: UInt64 { hitCount.load(ordering: .relaxed) }

    /// Number of lookups that found none.
    public var misses: UInt64 { missCount.load(ordering: .relaxed) }

    /// Number of answers, including expired ones that have not been removed yet.
    public var count: Int { entries.withLock { $0.count } }

    /// Adds an answer, or replaces the older answer about the same token.
    public func keep(_ response: IntrospectionResponse, for digest: TokenDigest, until validUntil: NumericDate) {
        let entry = Entry(response: response, validUntil: validUntil)
        let replaced = entries.withLock { $0.updateValue(entry, forKey: digest) }
        // Freed only here, outside of the lock.
        _ = consume replaced
    }

    /// Removes answers.
    public func forget(_ digests: [TokenDigest]) {
        let dropped = entries.withLock { entries in digests.map { entries.removeValue(forKey: $0) } }
        // Freed only here, outside of the lock.
        _ = consume dropped
    }
}
