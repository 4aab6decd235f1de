import JOSE
import TokenVerification

/// State of a key set at one moment. Requests read this and nothing else.
public struct KeySetSnapshot: Sendable {
    /// Keys of the last good answer. Nil if there has been none.
    public var keys: KeySet?
    /// Time of the last good answer, by the wall clock. Nil if there was none.
    public var fetchedAt: NumericDate?
    /// The age from which the keys must not be used.
    public var staleLimit: Duration
    /// Whether a fetch is under way or allowed now, so that waiting for a key can help; if not, answer at once.
    public var canWait: Bool
    /// Whether the last attempt brought keys: with ``canWait`` false, it says whether the issuer could not be asked or
    /// may not be.
    public var lastFetchSucceeded: Bool
    /// Key IDs that the issuer was asked for a moment ago and did not have.
    public var refused: RefusedKeyIDs
    /// Time at which the next attempt is due or allowed, by the wall clock. Nil while waiting can help, or if no
    /// attempt will follow.
    public var nextAttempt: NumericDate?
    /// Grows whenever the keys change; equal generations of one store have equal keys.
    public var generation: UInt64

    public init(
        keys: KeySet? = nil,
        fetchedAt: NumericDate? = nil,
        staleLimit: Duration,
        canWait: Bool = false,
        lastFetchSucceeded: Bool = false,
        refused: RefusedKeyIDs = RefusedKeyIDs(),
        nextAttempt: NumericDate? = nil,
        generation: UInt64 = 0,
    ) {
        self.keys = keys
        self.fetchedAt = fetchedAt
        self.staleLimit = staleLimit
        self.canWait = canWait
        self.lastFetchSucceeded = lastFetchSucceeded
        self.refused = refused
        self.nextAttempt = nextAttempt
        self.generation = generation
    }

    /// Whether the keys are too old to judge a token with; also true when there are none.
    public func isTooStale(at now: NumericDate) -> Bool {
        guard keys != nil, let fetchedAt else { return true }
        return now >= fetchedAt + staleLimit
    }

    /// Delay for the client (`Retry-After`), at least a second.
    public func retryAfter(at now: NumericDate) -> Duration {
        guard let nextAttempt, nextAttempt > now else { return .seconds(1) }
        return max(.seconds(1), .seconds(nextAttempt.seconds - now.seconds))
    }
}
