import JOSE
import KeySets
import MetricFamilies
import TokenVerification

/// State of one key set, for `/readyz`, metrics and the log.
public struct KeySetStatus: Sendable, Hashable {
    public var issuer: String
    public var source: KeySetSource
    /// True if the first attempt has succeeded or failed, or was not needed.
    public var firstFetchHasEnded: Bool
    /// Number of keys in use.
    public var usableKeyCount: Int
    /// Keys of the last valid answer that are not used, with the reason for each.
    public var skippedKeys: [SkippedKey]
    /// Time of the last valid answer. Nil if there was none.
    public var lastSuccess: NumericDate?
    /// Time since the last valid answer. Zero if the clock was set back. Nil if there was no answer.
    public var age: Duration?
    /// Age from which the keys are not used any more. Nil if each key is fetched alone, and has an age of its own.
    public var staleLimit: Duration?
    /// True if an earlier process saved the keys and no fetch of this process has confirmed them yet.
    public var restoredFromDisk: Bool
    /// Cause of the last attempt's failure. Nil if it succeeded.
    public var lastFailure: KeySetFetchFailure?
    /// Time at which the next attempt is due without a request. Nil before the start and after the stop.
    public var nextFetch: NumericDate?
    public var generation: UInt64
    /// True if the keys are too old to be used, or if there are none.
    public var isTooStale: Bool
    public var counters: KeySetCounters
    /// IDs of the keys in use, as the issuer has them. Keys without an ID are left out.
    public var keyIDs: [String] = []
}

extension KeySetStatus {
    /// - Parameter issuers: name and key sets of each issuer, in the order of the configuration.
    public static func families(of issuers: [(name: String, keySets: [KeySetStatus])]) -> [MetricFamily] {
        let keySets = issuers.flatMap { issuer in
            issuer.keySets.enumerated().map { index, status in
                let labels: MetricFamily.Labels = [("key_set", "\(index + 1)"), ("source", status.source.description)]
                return (status, [("issuer", issuer.name)] + labels)
            }
        }
        func samples(_ value: (KeySetStatus) -> Double?) -> [MetricFamily.Sample] {
            keySets.compactMap { status, labels in value(status).map { MetricFamily.Sample($0, labels) } }
        }
        return [
            .gauge("bearward_keys", "Usable keys in the key set.", samples { Double($0.usableKeyCount) }),
            .gauge(
                "bearward_key_set_usable", "1 if tokens can be verified with the key set now.",
                samples { $0.isTooStale ? 0 : 1 }),
            .gauge(
                "bearward_key_set_age_seconds",
                "Seconds since the key set was last fetched or confirmed to be unchanged.",
                samples { $0.age.map { $0 / .seconds(1) } }),
            .gauge(
                "bearward_key_set_stale_for_seconds",
                "Age from which the key set is not used any more (`stale_for`); its tokens are then answered 503.",
                samples { $0.staleLimit.map { $0 / .seconds(1) } }),
            .gauge(
                "bearward_key_set_next_fetch_timestamp_seconds",
                "When the key set is fetched next, in seconds since 1970.", samples { $0.nextFetch?.seconds }),
            .gauge(
                "bearward_key_set_last_fetch_failed",
                "1 if the last attempt to fetch the key set failed; /readyz says why.",
                samples { $0.lastFailure == nil ? 0 : 1 }),
        ] + KeySetCounters.families { count in samples { Double(count($0.counters)) } }
    }
}
