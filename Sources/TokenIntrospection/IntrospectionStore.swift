import JOSE
import KeySets
import Synchronization
import TokenVerification

/// The answers of one issuer that may be used again: written by its lifecycle, read by every request.
///
/// How much is kept, and for how long, is decided and bounded by ``IntrospectionLifecycle``.
public final class IntrospectionStore: Sendable {
    private struct Entry: Sendable {
        let response: IntrospectionResponse
        let validUntil: NumericDate
    }

    private let entries = Mutex<[TokenDigest: Entry]>([:])
    private let hitCount = Atomic<UInt64>(0)
    private let missCount = Atomic<UInt64>(0)

    public init() {}

    /// The answer about a token, if there is one that may still be used; never waits for the issuer.
    ///
    /// Time is the wall clock's, as everywhere a request is judged. An entry also goes, within a second, when its time
    /// is over by the clock that cannot be set: turning the clock back extends nothing.
    public func answer(for digest: TokenDigest, at now: NumericDate) -> IntrospectionResponse? {
        guard let entry = entries.withLock({ $0[digest] }), now < entry.validUntil else {
            missCount.wrappingAdd(1, ordering: .relaxed)
            return nil
        }
        hitCount.wrappingAdd(1, ordering: .relaxed)
        return entry.response
    }

    /// The lookups that found an answer.
    public var hits: UInt64 { hitCount.load(ordering: .relaxed) }

    /// The lookups that found none.
    public var misses: UInt64 { missCount.load(ordering: .relaxed) }

    /// Answers that are here, those included whose time is over and that have not been dropped yet.
    public var count: Int { entries.withLock { $0.count } }

    /// Puts an answer in place of an older one.
    public func keep(_ response: IntrospectionResponse, for digest: TokenDigest, until validUntil: NumericDate) {
        let entry = Entry(response: response, validUntil: validUntil)
        let replaced = entries.withLock { $0.updateValue(entry, forKey: digest) }
        // Freed only here, outside of the lock.
        _ = consume replaced
    }

    /// Drops answers.
    public func forget(_ digests: [TokenDigest]) {
        let dropped = entries.withLock { entries in digests.map { entries.removeValue(forKey: $0) } }
        // Freed only here, outside of the lock.
        _ = consume dropped
    }
}
