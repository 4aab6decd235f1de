import StrictJSON
import TokenVerification

/// Whether requests should be sent here, and how each issuer is doing: what `/readyz` says.
public struct Readiness: Sendable, Hashable {
    public enum Phase: String, Sendable, Hashable {
        /// First key sets are still being fetched.
        case starting
        case running
        /// Requests are refused because memory is short.
        case shortOfMemory = "short_of_memory"
        /// The clock shows a time that cannot be right, by which tokens are judged.
        case wrongClock = "wrong_clock"
        /// The process is about to end: new requests should go elsewhere.
        case draining
    }

    /// How one issuer's keys are doing.
    public struct Issuer: Sendable, Hashable {
        public let name: String
        public let keySets: [KeySet]
        /// nil: it is not asked about opaque tokens.
        public let introspection: Introspection?

        public init(name: String, keySets: [KeySet], introspection: Introspection? = nil) {
            self.name = name
            self.keySets = keySets
            self.introspection = introspection
        }

        /// Whether some of its tokens can be judged now.
        public var hasKeys: Bool { keySets.contains(where: \.isUsable) }
    }

    /// How introspection at an issuer is doing. It does not affect readiness: signed tokens do not need it.
    public struct Introspection: Sendable, Hashable {
        /// Where the issuer is asked; nil: its metadata has not told yet.
        public let endpoint: String?
        /// Whether introspection pauses after failures, or a single trial request is under way.
        public let isPaused: Bool
        /// When the next introspection request may be sent; nil: now.
        public let nextRequest: NumericDate?
        /// When the issuer last answered; nil: never.
        public let lastSuccess: NumericDate?
        /// Why the last introspection request failed; nil: it did not.
        public let lastFailure: String?
        public let requestsInFlight: Int
        /// Requests of clients that wait for an answer.
        public let waiting: Int
        public let cacheEntries: Int
        /// Introspection requests that were answered, and that failed. Like all that follow, since the issuer's
        /// settings last changed.
        public let answered: UInt64
        public let failed: UInt64
        /// Requests of clients that were refused without introspection: during a pause, or beyond a limit.
        public let turnedAway: UInt64
        public let cacheHits: UInt64
        public let cacheMisses: UInt64

        public init(
            endpoint: String?, isPaused: Bool, nextRequest: NumericDate?, lastSuccess: NumericDate?,
            lastFailure: String?,
            requestsInFlight: Int, waiting: Int, cacheEntries: Int, answered: UInt64, failed: UInt64,
            turnedAway: UInt64,
            cacheHits: UInt64, cacheMisses: UInt64
        ) {
            self.endpoint = endpoint
            self.isPaused = isPaused
            self.nextRequest = nextRequest
            self.lastSuccess = lastSuccess
            self.lastFailure = lastFailure
            self.requestsInFlight = requestsInFlight
            self.waiting = waiting
            self.cacheEntries = cacheEntries
            self.answered = answered
            self.failed = failed
            self.turnedAway = turnedAway
            self.cacheHits = cacheHits
            self.cacheMisses = cacheMisses
        }
    }

    /// How one of an issuer's key sets is doing.
    public struct KeySet: Sendable, Hashable {
        /// The path or URL that the operator, or a profile, gave.
        public let source: String
        /// Whether tokens can be judged with it now: it has keys, and they are not too old.
        public let isUsable: Bool
        public let keyCount: Int
        /// Each key of the last good answer that is not used, and why.
        public let skippedKeys: [String]
        /// When the keys were last fetched or found unchanged; nil: never.
        public let lastSuccess: NumericDate?
        /// How long that is ago.
        public let age: Duration?
        /// Whether an earlier process saved the keys, and no fetch has confirmed them yet.
        public let isFromDisk: Bool
        public let lastFailure: String?
        public let nextFetch: NumericDate?
        /// Since the process started, as all that follow.
        public let keysAdded: UInt64
        public let keysRemoved: UInt64
        public let fetches: UInt64
        public let fetchFailures: UInt64

        public init(
            source: String, isUsable: Bool, keyCount: Int, skippedKeys: [String] = [], lastSuccess: NumericDate?,
            age: Duration?,
            isFromDisk: Bool, lastFailure: String?, nextFetch: NumericDate?, keysAdded: UInt64, keysRemoved: UInt64,
            fetches: UInt64, fetchFailures: UInt64
        ) {
            self.source = source
            self.isUsable = isUsable
            self.keyCount = keyCount
            self.skippedKeys = skippedKeys
            self.lastSuccess = lastSuccess
            self.age = age
            self.isFromDisk = isFromDisk
            self.lastFailure = lastFailure
            self.nextFetch = nextFetch
            self.keysAdded = keysAdded
            self.keysRemoved = keysRemoved
            self.fetches = fetches
            self.fetchFailures = fetchFailures
        }
    }

    /// How a deny list is doing that gateways share.
    public struct SharedDenials: Sendable, Hashable {
        /// Whether it was ever known here: without it, tokens would be let in that were denied.
        public let isKnown: Bool
        /// How long ago all that the others had decided was known; nil: not since the process started.
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
    /// nil: none is shared.
    public let denials: SharedDenials?
    /// Whether the process was ready when its present file was loaded, and no issuer of that file has had keys yet.
    public let outlivesReload: Bool

    public init(phase: Phase, issuers: [Issuer], denials: SharedDenials? = nil, outlivesReload: Bool = false) {
        self.phase = phase
        self.issuers = issuers
        self.denials = denials
        self.outlivesReload = outlivesReload
    }

    /// Whether the tokens of at least one issuer can be judged; a file without issuers needs none.
    public var hasKeys: Bool { issuers.isEmpty || issuers.contains(where: \.hasKeys) }

    /// Running and with keys, and with the deny list that gateways share. A reload never ends it: the keys of an issuer
    /// that is new in the file may come later.
    public var isReady: Bool { obstacle == nil }

    /// Why requests should not be sent here; nil: they should.
    public var obstacle: String? {
        switch phase {
        case .starting: "first key sets are still being fetched"
        case .shortOfMemory: "memory is short"
        case .wrongClock: "the clock shows a time that cannot be right"
        case .draining: "the process is about to end"
        case .running where !hasKeys && !outlivesReload: "no issuer has keys yet, so requests with their tokens are 503"
        case .running where !knowsDenials: "the deny list that gateways share is not known yet"
        case .running: nil
        }
    }

    private var knowsDenials: Bool { denials?.isKnown ?? true }

    /// The answer to `/readyz`, or with a name to `/readyz?issuer=NAME`.
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

extension Readiness.Issuer {
    fileprivate func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.beginObject(into: &bytes)
        json.member("name", string: name, into: &bytes)
        json.member("ready", boolean: hasKeys, into: &bytes)
        json.member("keys", integer: keySets.reduce(0) { $0 + $1.keyCount }, into: &bytes)
        json.beginArray("key_sets", into: &bytes)
        for keySet in keySets { keySet.write(with: &json, into: &bytes) }
        json.end(into: &bytes)
        introspection?.write(with: &json, into: &bytes)
        json.end(into: &bytes)
    }
}

extension Readiness.Introspection {
    fileprivate func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.beginObject("introspection", into: &bytes)
        if let endpoint { json.member("endpoint", string: endpoint, into: &bytes) }
        json.member("breaker", string: isPaused ? "open" : "closed", into: &bytes)
        if let nextRequest { json.member("next_request", string: nextRequest.description, into: &bytes) }
        if let lastSuccess { json.member("answered_at", string: lastSuccess.description, into: &bytes) }
        if let lastFailure { json.member("last_error", string: lastFailure, into: &bytes) }
        let totals = [
            ("in_flight", UInt64(clamping: requestsInFlight)), ("waiting", UInt64(clamping: waiting)),
            ("answered", answered),
            ("failed", failed), ("turned_away", turnedAway), ("cache_entries", UInt64(clamping: cacheEntries)),
            ("cache_hits", cacheHits), ("cache_misses", cacheMisses),
        ]
        for (name, total) in totals { json.member(name, integer: Int64(clamping: total), into: &bytes) }
        json.end(into: &bytes)
    }
}

extension Readiness.KeySet {
    fileprivate func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.beginObject(into: &bytes)
        json.member("source", string: source, into: &bytes)
        json.member("ready", boolean: isUsable, into: &bytes)
        json.member("keys", integer: keyCount, into: &bytes)
        if !skippedKeys.isEmpty { json.member("skipped_keys", strings: skippedKeys, into: &bytes) }
        if let lastSuccess { json.member("fetched_at", string: lastSuccess.description, into: &bytes) }
        if let age { json.member("age_seconds", integer: age.components.seconds, into: &bytes) }
        if isFromDisk { json.member("from_disk", boolean: true, into: &bytes) }
        if let nextFetch { json.member("next_fetch", string: nextFetch.description, into: &bytes) }
        if let lastFailure { json.member("last_error", string: lastFailure, into: &bytes) }
        let totals = [
            ("fetches", fetches), ("fetch_failures", fetchFailures), ("keys_added", keysAdded),
            ("keys_removed", keysRemoved),
        ]
        for (name, total) in totals { json.member(name, integer: Int64(clamping: total), into: &bytes) }
        json.end(into: &bytes)
    }
}
