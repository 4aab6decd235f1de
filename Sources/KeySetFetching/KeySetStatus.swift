import JOSE
import KeySets
import TokenVerification

/// How one key set is doing, for readiness, logs and the console.
public struct KeySetStatus: Sendable {
    public var issuer: String
    public var source: KeySetSource
    /// Whether the first attempt has ended, well or badly.
    public var firstFetchHasEnded: Bool
    /// The keys in use, and those of the last good answer that are not, with the reason for each.
    public var usableKeyCount: Int
    public var skippedKeys: [SkippedKey]
    /// When the last good answer came; nil: never.
    public var lastSuccess: NumericDate?
    /// The time since then; zero if the clock was set back; nil: never.
    public var age: Duration?
    /// Whether the keys were saved by an earlier run and no fetch of this one has confirmed them yet.
    public var restoredFromDisk: Bool
    /// Why the last attempt failed; nil: it did not.
    public var lastFailure: KeySetFetchFailure?
    /// When the next attempt is due by itself.
    public var nextFetch: NumericDate?
    public var generation: UInt64
    /// Whether the keys are too old to be used, or there are none.
    public var isTooStale: Bool
    public var counters: KeySetCounters
}
