import JOSE
import KeySetFetching
import KeySets
import NetworkNames
import StrictJSON
import TokenIntrospection
import TokenVerification

/// Content of `/readyz`: whether this process should receive requests, and the state of each issuer.
public struct Readiness: Sendable, Hashable {
    public enum Phase: String, Sendable, Hashable {
        /// The first key sets are still being fetched.
        case starting
        case running
        /// Requests are refused because memory is short.
        case shortOfMemory = "short_of_memory"
        /// The clock shows an implausible time, so the times in tokens cannot be checked.
        case wrongClock = "wrong_clock"
        /// The process is about to exit, so new requests should go elsewhere.
        case draining
    }

    /// State of one issuer's keys and introspection.
    public struct Issuer: Sendable, Hashable {
        public let name: String
        public let keySets: [KeySetStatus]
        /// State of the issuer's realms. Nil if it has no realms by pattern.
        public let realms: RealmsStatus?
        /// State of introspection for opaque tokens. Nil if the issuer has none. It does not affect readiness, because
        /// signed tokens do not need it.
        public let introspection: IntrospectionStatus?

        public init(
            name: String, keySets: [KeySetStatus], realms: RealmsStatus? = nil,
            introspection: IntrospectionStatus? = nil
        ) {
            self.name = name
            self.keySets = keySets
            self.realms = realms
            self.introspection = introspection
        }

        /// True if at least one key set is recent enough to verify tokens. Also true for an issuer with realms by
        /// pattern: the keys of a realm are fetched when a token names it.
        public var hasKeys: Bool { realms != nil || keySets.contains { !$0.isTooStale } }
    }

    /// State of the deny list that gateways share.
    public struct SharedDenials: Sendable, Hashable {
        /// True if the list was loaded from disk or received from another gateway. Without it, denied tokens would be
        /// accepted.
        public let isKnown: Bool
        /// Time since all decisions of the other gateways were known. Nil if they never were since the process started.
        public let age: Duration?
        public let lastFailure: String?

        public init(isKnown: Bool, age: Duration?, lastFailure: String?) {
            self.isKnown = isKnown
            self.age = age
            self.lastFailure = lastFailure
        }
    }

    public let phase: Phase
    public let issuers: [Issuer]
    /// State of the shared deny list. Nil if none is shared.
    public let denials: SharedDenials?
    /// The difference for which no table of EC keys is used any more. Nil if there was none. It does not affect
    /// readiness, because libcrypto verifies without tables.
    public let tableDifference: TableDifference?
    /// True if the process was ready when the running configuration was loaded, and no issuer in it has had keys yet.
    public let outlivesReload: Bool

    public init(
        phase: Phase, issuers: [Issuer], denials: SharedDenials? = nil, tableDifference: TableDifference? = nil,
        outlivesReload: Bool = false
    ) {
        self.phase = phase
        self.issuers = issuers
        self.denials = denials
        self.tableDifference = tableDifference
        self.outlivesReload = outlivesReload
    }

    /// True if the tokens of at least one issuer can be verified, or if there are no issuers.
    public var hasKeys: Bool { issuers.isEmpty || issuers.contains(where: \.hasKeys) }

    /// True if the process is running, has keys, and has the shared deny list. A reload never makes it false: keys of
    /// an issuer that the reload added may come later.
    public var isReady: Bool { obstacle == nil }

    /// The reason not to send requests to this process. Nil if it is ready.
    public var obstacle: String? {
        switch phase {
        case .starting: "first key sets are still being fetched"
        case .shortOfMemory: "memory is short"
        case .wrongClock: "the clock shows an implausible time"
        case .draining: "the process is shutting down"
        case .running where !hasKeys && !outlivesReload:
            "no issuer has keys yet, so requests with tokens are answered with 503"
        case .running where !knowsDenials: "the shared deny list was not received yet"
        case .running: nil
        }
    }

    private var knowsDenials: Bool { denials?.isKnown ?? true }

    /// The response to `/readyz`. With a name, the response to `/readyz?issuer=NAME`.
    public func answer(for name: String? = nil) -> (status: Int, body: [UInt8]) {
        guard let name else { return (isReady ? 200 : 503, body(ready: isReady, issuers)) }
        guard let issuer = issuers.first(where: { $0.name == name }) else { return (404, body(ready: false, [])) }
        let isReady = phase == .running && issuer.hasKeys && knowsDenials
        return (isReady ? 200 : 503, body(ready: isReady, [issuer]))
    }

    private func body(ready: Bool, _ issuers: [Issuer]) -> [UInt8] {
        var bytes: [UInt8] = []
        var json = JSONObjectWriter()
        json.beginObject(into: &bytes)
        json.member("ready", boolean: ready, into: &bytes)
        json.member("phase", string: phase.rawValue, into: &bytes)
        json.beginArray("issuers", into: &bytes)
        for issuer in issuers { issuer.write(with: &json, into: &bytes) }
        json.end(into: &bytes)
        denials?.write(with: &json, into: &bytes)
        tableDifference?.write(with: &json, into: &bytes)
        json.end(into: &bytes)
        return bytes + [UInt8(ascii: "\n")]
    }
}

extension Readiness.SharedDenials {
    fileprivate func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.beginObject("denials", into: &bytes)
        json.member("ready", boolean: isKnown, into: &bytes)
        if let age { json.member("age_seconds", integer: age.components.seconds, into: &bytes) }
        if let lastFailure { json.member("last_error", string: lastFailure, into: &bytes) }
        json.end(into: &bytes)
    }
}

extension TableDifference {
    fileprivate func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.beginObject("ecdsa_tables", into: &bytes)
        json.member("ready", boolean: false, into: &bytes)
        if let keyID { json.member("kid", string: keyID, into: &bytes) }
        json.member("last_error", string: cause, into: &bytes)
        json.end(into: &bytes)
    }
}

extension Readiness.Issuer {
    fileprivate func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.beginObject(into: &bytes)
        json.member("name", string: name, into: &bytes)
        json.member("ready", boolean: hasKeys, into: &bytes)
        json.member("keys", integer: keySets.reduce(0) { $0 + $1.usableKeyCount }, into: &bytes)
        json.beginArray("key_sets", into: &bytes)
        for keySet in keySets { keySet.write(with: &json, into: &bytes) }
        json.end(into: &bytes)
        realms?.write(with: &json, into: &bytes)
        introspection?.write(with: &json, into: &bytes)
        json.end(into: &bytes)
    }
}

extension RealmsStatus {
    fileprivate func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.beginObject("realms", into: &bytes)
        json.member("pattern", string: pattern, into: &bytes)
        json.member("places", integer: Int64(places), into: &bytes)
        json.member("most", integer: Int64(most), into: &bytes)
        for (name, total) in counters.named { json.member(name, integer: Int64(clamping: total), into: &bytes) }
        json.end(into: &bytes)
    }
}

extension IntrospectionStatus {
    fileprivate func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.beginObject("introspection", into: &bytes)
        if let endpoint { json.member("endpoint", string: endpoint.text, into: &bytes) }
        json.member("breaker", string: isPaused ? "open" : "closed", into: &bytes)
        if let nextQuestion { json.member("next_request", string: nextQuestion.description, into: &bytes) }
        if let lastSuccess { json.member("answered_at", string: lastSuccess.description, into: &bytes) }
        if let lastFailure { json.member("last_error", string: lastFailure.description, into: &bytes) }
        let totals = [
            ("in_flight", UInt64(clamping: questionsUnderWay)), ("waiting", UInt64(clamping: requestsWaiting)),
            ("answered", counters.answered), ("failed", counters.failures), ("turned_away", counters.turnedAway),
            ("cache_entries", UInt64(clamping: keptAnswers)),
            ("cache_hits", cacheHits), ("cache_misses", cacheMisses),
        ]
        for (name, total) in totals { json.member(name, integer: Int64(clamping: total), into: &bytes) }
        json.end(into: &bytes)
    }
}

extension KeySetStatus {
    fileprivate func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.beginObject(into: &bytes)
        json.member("source", string: source.description, into: &bytes)
        json.member("ready", boolean: !isTooStale, into: &bytes)
        json.member("keys", integer: usableKeyCount, into: &bytes)
        if source.hasSingleKeys { json.member("fetched_singly", boolean: true, into: &bytes) }
        if !skippedKeys.isEmpty { json.member("skipped_keys", strings: skippedKeys.map(\.description), into: &bytes) }
        if let lastSuccess { json.member("fetched_at", string: lastSuccess.description, into: &bytes) }
        if let age { json.member("age_seconds", integer: age.components.seconds, into: &bytes) }
        if restoredFromDisk { json.member("from_disk", boolean: true, into: &bytes) }
        if let nextFetch { json.member("next_fetch", string: nextFetch.description, into: &bytes) }
        if let lastFailure { json.member("last_error", string: lastFailure.description, into: &bytes) }
        let totals = [
            ("fetches", counters.fetches), ("fetch_failures", counters.fetchFailures),
            ("keys_added", counters.keysAdded), ("keys_removed", counters.keysRemoved),
        ]
        for (name, total) in totals { json.member(name, integer: Int64(clamping: total), into: &bytes) }
        json.end(into: &bytes)
    }
}
