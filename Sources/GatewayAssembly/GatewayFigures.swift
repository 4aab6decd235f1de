import Administration
import Denials
import DenyLists
import JOSE
import KnownTokens
import ProxySettings
import RequestAuthorization
import ReverseProxy
import SharedQuotas
import TokenVerification
import TransportSecurity

/// How reloads ended since the start.
struct ReloadCounts {
    var succeeded = 0
    var refused = 0
}

/// Everything that `/metrics` reports, at one moment. Label values come from configuration or closed enums.
struct GatewayFigures {
    let gateway: GatewayMetrics
    let targets: [UpstreamReport]
    let issuers: [Readiness.Issuer]
    let isReady: Bool
    /// Of the TLS listeners.
    let identities: [TLSIdentity]
    /// nil without a cache.
    let cache: TokenCacheStatistics?
    let retiredCaches: TokenCacheStatistics
    let reloads: ReloadCounts
    let generation: Int
    /// Rules in observe mode now.
    let observedRules: Int
    /// nil: there is no file of `--shadow`.
    let shadow: (isUp: Bool, loads: ReloadCounts)?
    let restarts: Int
    let droppedLines: (accessLog: UInt64, log: UInt64)
    /// Callers that quotas count here.
    let quotaCallers: Int
    /// nil: there is no shared state.
    let store: StoreFigures?
    /// nil: there is no deny list.
    let denials: DenialFigures?
    /// nil where the system does not tell.
    let process: ProcessStatistics?

    typealias Sample = MetricFamily.Sample

    var families: [MetricFamily] {
        traffic + observation + shadowFamilies + requests + upstreams + certificates + keys + introspection + tokens
            + quotas + denyList
            + life + logs + processFamilies
    }

    private var traffic: [MetricFamily] {
        let decisions = gateway.decisions.map { (Self.labels(of: $0.key), $0.value) }.sorted {
            $0.0.lexicographicallyPrecedes($1.0)
        }
        return [
            MetricFamily(
                "bearward_decisions_total", .counter,
                "Finished requests by resource, rule, issuer and reason; the reason is empty for a request that was answered as it should be.",
                decisions.map { labels, count in Sample(count, Array(zip(Self.decisionLabels, labels))) }),
            MetricFamily(
                "bearward_connections", .gauge, "Open connections of clients.", [Sample(gateway.openConnections)]),
            MetricFamily(
                "bearward_connections_accepted_total", .counter, "Connections accepted from clients.",
                [Sample(gateway.acceptedConnections)]
            ),
            MetricFamily(
                "bearward_tls_handshakes_total", .counter, "TLS handshakes with clients, by result.",
                TLSHandshakeResult.allCases.map { Sample(gateway.handshakes[$0] ?? 0, [("result", $0.rawValue)]) }),
            MetricFamily(
                "bearward_proxy_headers_total", .counter,
                "Connections to listeners with `proxy_protocol`, by what they began with; only announced and local ones are served.",
                ProxyHeaderResult.allCases.map { Sample(gateway.proxyHeaders[$0] ?? 0, [("result", $0.rawValue)]) }),
            MetricFamily(
                "bearward_door_answers_total", .counter,
                "Answers to proxies that asked at a door, by its kind, and by whether the request may be forwarded.",
                gateway.doorAnswers.map { series, count in
                    (series.door, series.isPermission ? "permitted" : "refused", count)
                }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { Sample($2, [("door", $0), ("verdict", $1)]) }),
            MetricFamily(
                "bearward_requests_in_flight", .gauge, "Requests that are being forwarded to an upstream.",
                [Sample(gateway.requestsInFlight)]),
            MetricFamily(
                "bearward_requests_waiting_for_keys", .gauge,
                "Requests that wait for an issuer's keys or introspection answer.",
                [Sample(gateway.requestsWaitingForKeys)]),
            MetricFamily(
                "bearward_held_body_bytes", .gauge,
                "Memory of request bodies that are held, so that they can be sent again if an HTTP/2 upstream did not process them.",
                [Sample(gateway.heldBodyBytes)]),
            MetricFamily(
                "bearward_limit_hits_total", .counter, "Times that a limit was hit, by limit.",
                GatewayLimit.allCases.map { Sample(gateway.limitHits[$0] ?? 0, [("limit", $0.rawValue)]) }),
            MetricFamily(
                "bearward_event_loop_delays_total", .counter,
                "Times that an event loop was late for its regular work by more than the label says.",
                LoopDelay.allCases.map { Sample(gateway.loopDelays[$0] ?? 0, [("longer_than", "\($0.rawValue)ms")]) }),
        ]
    }

    private var observation: [MetricFamily] {
        let refusals = gateway.observedRefusals.map { (Self.labels(of: $0.key), $0.value) }
            .sorted { $0.0.lexicographicallyPrecedes($1.0) }
        return [
            MetricFamily(
                "bearward_observed_rules", .gauge, "Rules that are only observed now, so that they refuse nobody.",
                [Sample(observedRules)]),
            MetricFamily(
                "bearward_observed_refusals_total", .counter,
                "Requests that were forwarded because their rule is only observed, by the reason that they would have been refused for.",
                refusals.map { labels, count in Sample(count, Array(zip(Self.decisionLabels, labels))) }),
        ]
    }

    private var shadowFamilies: [MetricFamily] {
        let figures = gateway.shadow
        let verdicts = [("same", figures.same), ("different", figures.different), ("unknown", figures.unknown)]
        let differences = figures.differences.map { difference, count in
            ([difference.resource, difference.rule, difference.reason, difference.would], count)
        }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
        let labels: [StaticString] = ["resource", "rule", "reason", "would"]
        return [
            MetricFamily(
                "bearward_shadow_up", .gauge,
                "1 while requests are compared with the file of `--shadow`, 0 if it could not be used yet; absent without one.",
                shadow.map { [Sample($0.isUp ? 1 : 0)] } ?? []),
            MetricFamily(
                "bearward_shadow_reloads_total", .counter, "Readings of the file of `--shadow`, by result.",
                shadow.map { shadow in
                    [
                        Sample(shadow.loads.succeeded, [("result", "succeeded")]),
                        Sample(shadow.loads.refused, [("result", "refused")]),
                    ]
                } ?? []),
            MetricFamily(
                "bearward_shadow_requests_total", .counter,
                "Requests that were compared with the file of `--shadow`, by whether it would answer the same.",
                shadow == nil ? [] : verdicts.map { Sample($0.1, [("verdict", $0.0)]) }),
            MetricFamily(
                "bearward_shadow_differences_total", .counter,
                "Requests that the file of `--shadow` would answer otherwise, by the reason in force and the one that there would be.",
                differences.map { values, count in Sample(count, Array(zip(labels, values))) }),
        ]
    }

    private var quotas: [MetricFamily] {
        [
            MetricFamily(
                "bearward_quota_callers", .gauge, "Callers that quotas count in this process.", [Sample(quotaCallers)]),
            MetricFamily(
                "bearward_shared_state_up", .gauge,
                "1 while the shared state is connected, else 0; absent without `shared_state`.",
                store.map { [Sample($0.isConnected ? 1 : 0)] } ?? []),
            MetricFamily(
                "bearward_shared_state_questions_total", .counter,
                "Requests for which the shared state was asked, by result: answered, or unanswered in time or at all.",
                store.map { store in
                    [
                        Sample(store.answered, [("result", "answered")]),
                        Sample(store.unanswered, [("result", "unanswered")]),
                    ]
                } ?? []),
        ]
    }

    private var denyList: [MetricFamily] {
        [
            MetricFamily(
                "bearward_deny_list_entries", .gauge,
                "Entries of the deny list that are in force, by source: the file, or the admin listener.",
                denials.map { denials in
                    DenySource.allCases.map { Sample(denials.counts[$0] ?? 0, [("source", $0.rawValue)]) }
                } ?? []),
            MetricFamily(
                "bearward_deny_list_age_seconds", .gauge,
                "Seconds since the list in force was what `deny_file` says; it grows while the file is broken or gone.",
                denials?.fileAge.map { [Sample($0 / .seconds(1), [])] } ?? []),
            MetricFamily(
                "bearward_deny_list_shared_age_seconds", .gauge,
                "Seconds since all denials were known that other gateways share; it grows while `shared_state` does not answer.",
                denials?.peersAge.map { [Sample($0 / .seconds(1), [])] } ?? []),
            MetricFamily(
                "bearward_deny_list_errors_total", .counter,
                "Times that `deny_file` was found broken or gone, so that the last list stayed.",
                denials.map { [Sample($0.fileFailures)] } ?? []),
        ]
    }

    private var requests: [MetricFamily] {
        let series = gateway.requests.map { (Self.labels(of: $0.key), $0.key.status.label, $0.value) }
            .sorted { ($0.0 + [$0.1]).lexicographicallyPrecedes($1.0 + [$1.1]) }
        func bytes(_ value: (RequestFigures) -> UInt64) -> [Sample] {
            series.map { labels, status, figures in
                Sample(value(figures), Array(zip(Self.requestLabels, labels + [status])))
            }
        }
        return [
            MetricFamily(
                "bearward_request_duration_seconds", .histogram,
                "Seconds from the first byte of a request to the end of its answer, by resource, rule and class of the status.",
                series.flatMap { labels, status, figures in
                    Self.samples(of: figures.durations, Array(zip(Self.requestLabels, labels + [status])))
                }),
            MetricFamily(
                "bearward_request_bytes_total", .counter,
                "Bytes received of requests that ended: heads, bodies and framing.",
                bytes(\.bytesIn)),
            MetricFamily(
                "bearward_response_bytes_total", .counter,
                "Bytes sent of answers that ended: heads, bodies and framing.",
                bytes(\.bytesOut)),
        ]
    }

    private var upstreams: [MetricFamily] {
        let targets = gateway.upstreams.sorted { $0.key < $1.key }
        return [
            MetricFamily(
                "bearward_upstream_duration_seconds", .histogram,
                "Seconds from the start of an attempt at a target to the head of its response; attempts without a response are left out.",
                targets.flatMap { target, figures in Self.samples(of: figures.durations, [("target", target)]) }),
            MetricFamily(
                "bearward_upstream_requests_total", .counter,
                "Attempts to have a request answered by a target, by outcome: the class of the status, or why there was no response.",
                targets.flatMap { target, figures in
                    UpstreamOutcome.allCases.filter { figures.count($0) > 0 }.map {
                        Sample(figures.count($0), [("target", target), ("outcome", $0.label)])
                    }
                }),
            MetricFamily(
                "bearward_upstream_target_in", .gauge,
                "1 if requests go to the target, 0 if it is left out, by resource and path prefix.",
                self.targets.flatMap { upstream in
                    upstream.targets.map {
                        Sample(
                            $0.isIn ? 1 : 0,
                            [("resource", upstream.resource), ("path", upstream.path), ("target", $0.name)])
                    }
                }),
            MetricFamily(
                "bearward_upstream_requests_waiting", .gauge,
                "Requests that wait for a place because every target has as many as `connections` allows, by resource and path prefix.",
                self.targets.map { Sample($0.waiting, [("resource", $0.resource), ("path", $0.path)]) }),
        ]
    }

    private static let requestLabels: [StaticString] = ["resource", "rule", "status"]

    private static func labels(of series: RequestSeries) -> [String] { [series.resource, series.rule] }

    private static func samples(of durations: DurationHistogram, _ labels: [(name: StaticString, value: String)])
        -> [Sample]
    {
        Sample.histogram(bounds: DurationBuckets.secondBounds, counts: durations.counts, sum: durations.seconds, labels)
    }

    private var certificates: [MetricFamily] {
        [
            MetricFamily(
                "bearward_certificate_not_after_timestamp_seconds", .gauge,
                "When a listener's certificate expires, in seconds since 1970.",
                identities.map { Sample(Double($0.period.notAfter), [("name", $0.names.first ?? "")]) })
        ]
    }

    private static let decisionLabels: [StaticString] = ["resource", "rule", "issuer", "reason"]

    private static func labels(of decision: Decision) -> [String] {
        [decision.resource ?? "", decision.rule ?? "", decision.issuer ?? "", decision.reason]
    }

    private var keys: [MetricFamily] {
        let sets = issuers.flatMap { issuer in
            issuer.keySets.enumerated().map { (issuer.name, $0.offset + 1, $0.element) }
        }
        func samples(_ value: (Readiness.KeySet) -> Double?) -> [Sample] {
            sets.compactMap { issuer, number, keySet in
                value(keySet).map {
                    Sample($0, [("issuer", issuer), ("key_set", "\(number)"), ("source", keySet.source)])
                }
            }
        }
        return [
            MetricFamily("bearward_keys", .gauge, "Usable keys in the key set.", samples { Double($0.keyCount) }),
            MetricFamily(
                "bearward_key_set_usable", .gauge, "1 if tokens can be verified with the key set now.",
                samples { $0.isUsable ? 1 : 0 }),
            MetricFamily(
                "bearward_key_set_age_seconds", .gauge,
                "Seconds since the key set was last fetched or confirmed to be unchanged.",
                samples { $0.age.map { $0 / .seconds(1) } }),
            MetricFamily(
                "bearward_key_set_next_fetch_timestamp_seconds", .gauge,
                "When the key set is fetched next, in seconds since 1970.",
                samples { $0.nextFetch?.seconds }),
            MetricFamily(
                "bearward_key_set_last_fetch_failed", .gauge,
                "1 if the last attempt to fetch the key set failed; /readyz says why.",
                samples { $0.lastFailure == nil ? 0 : 1 }),
            MetricFamily(
                "bearward_key_set_fetches_total", .counter, "Attempts to fetch the key set.",
                samples { Double($0.fetches) }),
            MetricFamily(
                "bearward_key_set_fetch_failures_total", .counter, "Attempts to fetch the key set that failed.",
                samples { Double($0.fetchFailures) }),
        ]
    }

    private var introspection: [MetricFamily] {
        let asked = issuers.compactMap { issuer in issuer.introspection.map { (issuer.name, $0) } }
        func samples(_ value: (Readiness.Introspection) -> UInt64) -> [Sample] {
            asked.map { issuer, introspection in Sample(value(introspection), [("issuer", issuer)]) }
        }
        return [
            MetricFamily(
                "bearward_introspection_requests_total", .counter, "Introspection requests to an issuer, by result.",
                asked.flatMap { issuer, introspection in
                    [("answered", introspection.answered), ("failed", introspection.failed)].map { result, count in
                        Sample(count, [("issuer", issuer), ("result", result)])
                    }
                }),
            MetricFamily(
                "bearward_introspection_requests_in_flight", .gauge,
                "Introspection requests to an issuer that are under way.",
                samples { UInt64(clamping: $0.requestsInFlight) }),
            MetricFamily(
                "bearward_introspection_waiting", .gauge,
                "Requests of clients that wait for an issuer's introspection answer.",
                samples { UInt64(clamping: $0.waiting) }),
            MetricFamily(
                "bearward_introspection_turned_away_total", .counter,
                "Requests of clients answered 503 without introspection, because the circuit breaker was open or a limit was hit.",
                samples { $0.turnedAway }),
            MetricFamily(
                "bearward_introspection_breaker_open", .gauge,
                "1 while introspection at an issuer is suspended after repeated failures, or a single trial request is under way.",
                samples { $0.isPaused ? 1 : 0 }),
            MetricFamily(
                "bearward_introspection_cache_entries", .gauge, "Introspection answers in the cache.",
                samples { UInt64(clamping: $0.cacheEntries) }),
            MetricFamily(
                "bearward_introspection_cache_hits_total", .counter,
                "Lookups of opaque tokens that the cache of introspection answers had.",
                samples { $0.cacheHits }),
            MetricFamily(
                "bearward_introspection_cache_misses_total", .counter,
                "Lookups of opaque tokens that the cache of introspection answers did not have.",
                samples { $0.cacheMisses }),
        ]
    }

    private var tokens: [MetricFamily] {
        let all = retiredCaches + (cache ?? TokenCacheStatistics())
        return [
            MetricFamily(
                "bearward_token_cache_entries", .gauge, "Verified tokens in the token cache.",
                [Sample(cache?.entries ?? 0)]),
            MetricFamily(
                "bearward_token_cache_bytes", .gauge, "Memory that the token cache takes, in bytes.",
                [Sample(cache?.bytes ?? 0)]),
            MetricFamily(
                "bearward_token_cache_hits_total", .counter, "Lookups of tokens that the token cache had.",
                [Sample(all.hits)]),
            MetricFamily(
                "bearward_token_cache_misses_total", .counter, "Lookups of tokens that the token cache did not have.",
                [Sample(all.misses)]),
            MetricFamily(
                "bearward_token_cache_evictions_total", .counter,
                "Tokens evicted from the token cache before they expired.",
                [Sample(all.evictions)]),
        ]
    }

    private var logs: [MetricFamily] {
        [
            MetricFamily(
                "bearward_access_log_dropped_lines_total", .counter, "Lines of the access log that were dropped.",
                [Sample(droppedLines.accessLog)]),
            MetricFamily(
                "bearward_log_dropped_lines_total", .counter, "Lines of the operational log that were dropped.",
                [Sample(droppedLines.log)]),
        ]
    }

    /// Under the names that every client library of Prometheus has for them.
    private var processFamilies: [MetricFamily] {
        guard let process else { return [] }
        let families = [
            MetricFamily(
                "process_cpu_seconds_total", .counter,
                "Processor time of the worker process, of user and system, in seconds.",
                [Sample(process.cpuSeconds)]),
            MetricFamily(
                "process_resident_memory_bytes", .gauge, "Memory of the worker process that is resident, in bytes.",
                [Sample(process.residentBytes)]),
            MetricFamily(
                "process_virtual_memory_bytes", .gauge, "Address space of the worker process, in bytes.",
                [Sample(process.virtualBytes)]),
            MetricFamily(
                "process_open_fds", .gauge, "Open file descriptors of the worker process.",
                [Sample(process.openDescriptors)]),
            MetricFamily(
                "process_start_time_seconds", .gauge, "When the worker process started, in seconds since 1970.",
                [Sample(process.startTime)]),
        ]
        guard let limit = process.descriptorLimit else { return families }
        return families + [
            MetricFamily(
                "process_max_fds", .gauge, "Most file descriptors that the worker process may have open.",
                [Sample(limit)])
        ]
    }

    private var life: [MetricFamily] {
        [
            MetricFamily("bearward_ready", .gauge, "1 while /readyz answers 200.", [Sample(isReady ? 1 : 0)]),
            MetricFamily(
                "bearward_reloads_total", .counter, "Reloads of the configuration, by result.",
                [
                    Sample(reloads.succeeded, [("result", "succeeded")]),
                    Sample(reloads.refused, [("result", "refused")]),
                ]),
            MetricFamily(
                "bearward_configuration_generation", .gauge,
                "Number of the running configuration: 1 at the start, one more with each reload.", [Sample(generation)]),
            MetricFamily(
                "bearward_worker_restarts_total", .counter, "Workers that ended unexpectedly and were replaced.",
                [Sample(restarts)]),
            MetricFamily(
                "bearward_build_info", .gauge, "Always 1; the labels say which version runs.",
                [
                    Sample(
                        1,
                        [
                            ("version", Version.number), ("commit", Version.commit),
                            ("libcrypto", CryptographicLibrary.version),
                        ])
                ]),
        ]
    }
}
