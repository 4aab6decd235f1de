import JOSE
import TokenVerification

/// State of a key set at one moment. Requests read only this.
public struct KeySetSnapshot: Sendable {
    /// Keys of the last valid answer, and the kept keys. Nil if there has been no valid answer.
    public var keys: KeySet?
    /// Time of the last valid answer, by the wall clock. Nil if there has been none.
    public var fetchedAt: NumericDate?
    /// Age from which the keys must not be used.
    public var staleLimit: Duration
    /// True if a fetch is under way or allowed now, so that waiting for a key can help. If false, answer at once.
    public var canWait: Bool
    /// True if the last attempt brought keys. If ``canWait`` is false, this distinguishes a fetch that is not allowed
    /// (true) from one that failed (false).
    public var lastFetchSucceeded: Bool
    /// Cause for which the last attempt failed, as text for the operator. Nil if it did not fail.
    public var lastFailure: String?
    /// Key IDs that the issuer did not have when it was asked within the last minute.
    public var refused: RefusedKeyIDs
    /// Time at which the next attempt is due or allowed, by the wall clock. Nil if waiting can help, or if no attempt
    /// will come.
    public var nextAttempt: NumericDate?
    /// The only key ID that the source can have. Nil if it can have any.
    public var soleKeyID: String?
    /// True if each key is fetched alone. Then the set is never too old: each key is removed when it is.
    public var hasSingleKeys: Bool
    /// Number that grows with each change of the keys. Snapshots of one store with equal generations have equal keys.
    public var generation: UInt64

    public init(
        keys: KeySet? = nil,
        fetchedAt: NumericDate? = nil,
        staleLimit: Duration,
        canWait: Bool = false,
        lastFetchSucceeded: Bool = false,
        lastFailure: String? = nil,
        refused: RefusedKeyIDs = RefusedKeyIDs(),
        nextAttempt: NumericDate? = nil,
        soleKeyID: String? = nil,
        hasSingleKeys: Bool = false,
        generation: UInt64 = 0,
    ) {
        self.keys = keys
        self.fetchedAt = fetchedAt
        self.staleLimit = staleLimit
        self.canWait = canWait
        self.lastFetchSucceeded = lastFetchSucceeded
        self.lastFailure = lastFailure
        self.refused = refused
        self.nextAttempt = nextAttempt
        self.soleKeyID = soleKeyID
        self.hasSingleKeys = hasSingleKeys
        self.generation = generation
    }

    /// True if the keys are too old to verify tokens, or if there are none.
    public func isTooStale(at now: NumericDate) -> Bool {
        if hasSingleKeys { return keys == nil }
        guard keys != nil, let fetchedAt else { return true }
        return now >= fetchedAt + staleLimit
    }

    /// True if the source can have a key with this ID, now or after it is read again. Compared byte for byte.
    ///
    /// - Parameter keyID: nil for a token that names no key.
    public func canHaveKey(_ keyID: String?) -> Bool {
        if hasSingleKeys, let keyID { return SingleKeyURL.isKeyID(keyID) }
        guard let soleKeyID, let keyID else { return true }
        return soleKeyID.utf8.elementsEqual(keyID.utf8)
    }

    /// Time for the client's `Retry-After`, at least a second.
    public func retryAfter(at now: NumericDate) -> Duration {
        guard let nextAttempt, nextAttempt > now else { return .seconds(1) }
        return max(.seconds(1), .seconds(nextAttempt.seconds - now.seconds))
    }
}
