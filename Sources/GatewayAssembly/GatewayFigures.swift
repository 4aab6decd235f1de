import Administration
import JOSE
import KnownTokens
import RequestAuthorization
import ReverseProxy
import TokenVerification
import TransportSecurity

/// How reloads ended since the start.
struct ReloadCounts {
    var succeeded = 0
    var refused = 0
}

/// Everything that `/metrics` speaks of, at one moment. Labels are the operator's words or from closed lists.
struct GatewayFigures {
    let gateway: GatewayMetrics
    let issuers: [Readiness.Issuer]
    let isReady: Bool
    /// Of the TLS listeners.
    let identities: [TLSIdentity]
    /// nil without a cache.
    let cache: TokenCacheStatistics?
    let retiredCaches: TokenCacheStatistics
    let reloads: ReloadCounts
    let generation: Int
    let restarts: Int
    let droppedLines: (accessLog: UInt64, log: UInt64)

    typealias Sample = MetricFamily.Sample

    var families: [MetricFamily] {
        traffic + certificates + keys + introspection + tokens + life + logs
    }

    private var traffic: [MetricFamily] {
        let decisions = gateway.decisions.map { (Self.labels(of: $0.key), $0.value) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
        return [
            MetricFamily(
                "bearward_decisions_total", .counter, "Requests that ended, by what they came to; without a reason they were answered.",
                decisions.map { labels, count in Sample(count, Array(zip(Self.decisionLabels, labels))) }),
            MetricFamily("bearward_connections", .gauge, "Open connections from clients.", [Sample(gateway.openConnections)]),
            MetricFamily(
                "bearward_connections_accepted_total", .counter, "Connections accepted from clients.", [Sample(gateway.acceptedConnections)]
            ),
            MetricFamily(
                "bearward_tls_handshakes_total", .counter, "TLS handshakes with clients, by how they ended.",
                TLSHandshakeResult.allCases.map { Sample(gateway.handshakes[$0] ?? 0, [("result", $0.rawValue)]) }),
            MetricFamily("bearward_requests_in_flight", .gauge, "Requests that are with an upstream.", [Sample(gateway.requestsInFlight)]),
            MetricFamily(
                "bearward_requests_waiting_for_keys", .gauge, "Requests that wait for an issuer's keys or word.",
                [Sample(gateway.requestsWaitingForKeys)]),
            MetricFamily(
                "bearward_limit_hits_total", .counter, "How often each limit of the file was met.",
                GatewayLimit.allCases.map { Sample(gateway.limitHits[$0] ?? 0, [("limit", $0.rawValue)]) }),
            MetricFamily(
                "bearward_event_loop_delays_total", .counter, "How often an event loop was kept from its work for longer than this.",
                LoopDelay.allCases.map { Sample(gateway.loopDelays[$0] ?? 0, [("longer_than", "\($0.rawValue)ms")]) }),
        ]
    }

    private var certificates: [MetricFamily] {
        [
            MetricFamily(
                "bearward_certificate_not_after_timestamp_seconds", .gauge, "When a listener's certificate ends, in seconds since 1970.",
                identities.map { Sample(Double($0.notAfter), [("name", $0.names.first ?? "")]) })
        ]
    }

    private static let decisionLabels: [StaticString] = ["resource", "rule", "issuer", "reason"]

    private static func labels(of decision: Decision) -> [String] {
        [decision.resource ?? "", decision.rule ?? "", decision.issuer ?? "", decision.reason]
    }

    private var keys: [MetricFamily] {
        let sets = issuers.flatMap { issuer in issuer.keySets.enumerated().map { (issuer.name, $0.offset + 1, $0.element) } }
        func samples(_ value: (Readiness.KeySet) -> Double?) -> [Sample] {
            sets.compactMap { issuer, number, keySet in
                value(keySet).map { Sample($0, [("issuer", issuer), ("key_set", "\(number)"), ("source", keySet.source)]) }
            }
        }
        return [
            MetricFamily("bearward_keys", .gauge, "Keys that can be used.", samples { Double($0.keyCount) }),
            MetricFamily(
                "bearward_key_set_usable", .gauge, "1 if tokens can be judged with the key set now.", samples { $0.isUsable ? 1 : 0 }),
            MetricFamily(
                "bearward_key_set_age_seconds", .gauge, "Since the key set was last fetched or found unchanged.",
                samples { $0.age.map { $0 / .seconds(1) } }),
            MetricFamily(
                "bearward_key_set_next_fetch_timestamp_seconds", .gauge, "When the key set is fetched next, in seconds since 1970.",
                samples { $0.nextFetch?.seconds }),
            MetricFamily(
                "bearward_key_set_last_fetch_failed", .gauge, "1 if the last attempt to fetch the key set failed; /readyz says why.",
                samples { $0.lastFailure == nil ? 0 : 1 }),
            MetricFamily("bearward_key_set_fetches_total", .counter, "Attempts to fetch the key set.", samples { Double($0.fetches) }),
            MetricFamily("bearward_key_set_fetch_failures_total", .counter, "Those that failed.", samples { Double($0.fetchFailures) }),
        ]
    }

    private var introspection: [MetricFamily] {
        let asked = issuers.compactMap { issuer in issuer.introspection.map { (issuer.name, $0) } }
        func samples(_ value: (Readiness.Introspection) -> UInt64) -> [Sample] {
            asked.map { issuer, introspection in Sample(value(introspection), [("issuer", issuer)]) }
        }
        return [
            MetricFamily(
                "bearward_introspection_requests_total", .counter, "Requests to an issuer about opaque tokens, by how they ended.",
                asked.flatMap { issuer, introspection in
                    [("answered", introspection.answered), ("failed", introspection.failed)].map { result, count in
                        Sample(count, [("issuer", issuer), ("result", result)])
                    }
                }),
            MetricFamily(
                "bearward_introspection_requests_in_flight", .gauge, "Requests to an issuer about opaque tokens that are under way.",
                samples { UInt64(clamping: $0.requestsInFlight) }),
            MetricFamily(
                "bearward_introspection_waiting", .gauge, "Requests of clients that wait for an issuer's answer about an opaque token.",
                samples { UInt64(clamping: $0.waiting) }),
            MetricFamily(
                "bearward_introspection_turned_away_total", .counter,
                "Requests of clients answered 503 because an issuer was not asked: its breaker was open, or a limit was hit.",
                samples { $0.turnedAway }),
            MetricFamily(
                "bearward_introspection_breaker_open", .gauge,
                "1 while an issuer is not asked about opaque tokens, or one request is on trial, after failures in a row.",
                samples { $0.isPaused ? 1 : 0 }),
            MetricFamily(
                "bearward_introspection_cache_entries", .gauge, "Answers about opaque tokens that are remembered.",
                samples { UInt64(clamping: $0.cacheEntries) }),
            MetricFamily(
                "bearward_introspection_cache_hits_total", .counter, "Opaque tokens whose issuer's answer was remembered.",
                samples { $0.cacheHits }),
            MetricFamily(
                "bearward_introspection_cache_misses_total", .counter, "Opaque tokens whose issuer's answer was not remembered.",
                samples { $0.cacheMisses }),
        ]
    }

    private var tokens: [MetricFamily] {
        let all = retiredCaches + (cache ?? TokenCacheStatistics())
        return [
            MetricFamily("bearward_token_cache_entries", .gauge, "Verified tokens that are remembered.", [Sample(cache?.entries ?? 0)]),
            MetricFamily("bearward_token_cache_bytes", .gauge, "Memory taken for them.", [Sample(cache?.bytes ?? 0)]),
            MetricFamily("bearward_token_cache_hits_total", .counter, "Tokens that were remembered.", [Sample(all.hits)]),
            MetricFamily("bearward_token_cache_misses_total", .counter, "Tokens that were not.", [Sample(all.misses)]),
            MetricFamily(
                "bearward_token_cache_evictions_total", .counter, "Tokens forgotten before their time to make room.",
                [Sample(all.evictions)]),
        ]
    }

    private var logs: [MetricFamily] {
        [
            MetricFamily(
                "bearward_access_log_dropped_lines_total", .counter, "Lines of the access log that were not written.",
                [Sample(droppedLines.accessLog)]),
            MetricFamily(
                "bearward_log_dropped_lines_total", .counter, "Lines of the operational log that were not written.",
                [Sample(droppedLines.log)]),
        ]
    }

    private var life: [MetricFamily] {
        [
            MetricFamily("bearward_ready", .gauge, "1 while /readyz is 200.", [Sample(isReady ? 1 : 0)]),
            MetricFamily(
                "bearward_reloads_total", .counter, "Reloads of the file by how they ended.",
                [Sample(reloads.succeeded, [("result", "succeeded")]), Sample(reloads.refused, [("result", "refused")])]),
            MetricFamily("bearward_configuration_generation", .gauge, "Which configuration runs; 1 at the start.", [Sample(generation)]),
            MetricFamily("bearward_worker_restarts_total", .counter, "Workers replaced that were not told to end.", [Sample(restarts)]),
            MetricFamily(
                "bearward_build_info", .gauge, "Always 1; what this process is made of.",
                [Sample(1, [("version", Version.number), ("commit", Version.commit), ("libcrypto", CryptographicLibrary.version)])]),
        ]
    }
}
