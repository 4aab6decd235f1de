/// A state that an operator should look into, with series for which it fires and for which it does not.
struct Alert {
    enum Severity: String {
        /// Requests fail now, or a denied token may pass.
        case critical
        case warning
        case info
    }

    /// Values of series in `promtool`'s notation, one a minute.
    typealias Series = [(name: String, values: String)]

    /// Name without the prefix that all alerts have.
    let name: String
    let severity: Severity
    let expression: String
    /// Time that the state must last before the alert fires.
    let duration: String
    let meaning: String
    let firing: Series
    /// Labels of the alert that fires for ``firing``, besides its severity.
    let labels: [(name: String, value: String)]
    let quiet: Series

    private init(
        _ name: String, _ severity: Severity, _ expression: String, for duration: String = "5m", _ meaning: String,
        firing: Series, labels: [(name: String, value: String)] = [], quiet: Series
    ) {
        (self.name, self.severity, self.expression) = (name, severity, expression)
        (self.duration, self.meaning) = (duration, meaning)
        (self.firing, self.labels, self.quiet) = (firing, labels, quiet)
    }

    /// An alert on one series that has no labels.
    private init(
        _ name: String, _ severity: Severity, _ expression: String, for duration: String = "5m", _ meaning: String,
        of series: String, firing: String, quiet: String
    ) {
        self.init(
            name, severity, expression, for: duration, meaning, firing: [(series, firing)], quiet: [(series, quiet)])
    }

    static let all = process + issuers + traffic + policy
}

// MARK: The process

extension Alert {
    private static let process = [
        Alert(
            "Down", .critical, #"up{job=~"bearward.*"} == 0"#, for: "2m",
            "Prometheus cannot scrape a gateway: it is down, or its admin listener does not answer Prometheus.",
            // The Prometheus Operator calls a job by its Service.
            firing: [(#"up{job="bearward-admin",instance="a"}"#, "0x120")],
            labels: [("instance", "a"), ("job", "bearward-admin")],
            quiet: [(#"up{job="bearward",instance="a"}"#, "1x120"), (#"up{job="other"}"#, "0x120")]),
        Alert(
            "NotReady", .critical, "bearward_ready == 0", for: "1m", "The gateway is not ready: /readyz says why.",
            of: "bearward_ready", firing: "0x120", quiet: "1x120"),
        Alert(
            "WorkerRestarted", .warning, "increase(bearward_worker_restarts_total[1h]) > 0", for: "0s",
            "A worker ended unexpectedly: report it.",
            of: "bearward_worker_restarts_total", firing: "0x100 1x20", quiet: "3x120"),
        Alert(
            "UnexpectedEvents", .warning, "increase(bearward_unexpected_events_total[1h]) > 0", for: "0s",
            "A request's state machine met an event that it did not expect, which is a defect: report it.",
            of: "bearward_unexpected_events_total", firing: "0x100 1x20", quiet: "3x120"),
        Alert(
            "TablesFailed", .critical, "bearward_ecdsa_tables_failed == 1", for: "0s",
            "A table of an EC key misjudged a signature, and libcrypto decided. The memory may be faulty: replace the machine, and report it.",
            of: "bearward_ecdsa_tables_failed", firing: "1x120", quiet: "0x120"),
        Alert(
            "ReloadRefused", .warning, #"increase(bearward_reloads_total{result="refused"}[1h]) > 0"#, for: "0s",
            "A reload was refused: the file has errors, and the old one runs.",
            firing: [(#"bearward_reloads_total{result="refused"}"#, "0x100 1x20")], labels: [("result", "refused")],
            quiet: [(#"bearward_reloads_total{result="succeeded"}"#, "0+1x120")]),
        Alert(
            "CertificateExpires", .warning, "bearward_certificate_not_after_timestamp_seconds - time() < 7 * 86400",
            "A listener's certificate expires within a week.",
            firing: [(#"bearward_certificate_not_after_timestamp_seconds{name="a"}"#, "600000x120")],
            labels: [("name", "a")],
            quiet: [(#"bearward_certificate_not_after_timestamp_seconds{name="a"}"#, "700000x120")]),
        Alert(
            "CertificateExpiresSoon", .critical, "bearward_certificate_not_after_timestamp_seconds - time() < 86400",
            "A listener's certificate has expired, or expires within a day.",
            firing: [(#"bearward_certificate_not_after_timestamp_seconds{name="a"}"#, "90000x120")],
            labels: [("name", "a")],
            quiet: [(#"bearward_certificate_not_after_timestamp_seconds{name="a"}"#, "100000x120")]),
        Alert(
            "EventLoopsLate", .warning,
            #"increase(bearward_event_loop_delays_total{longer_than="500ms"}[5m]) > 10"#,
            "Event loops are late by more than half a second again and again: the processor is busy, or something blocks.",
            firing: [(#"bearward_event_loop_delays_total{longer_than="500ms"}"#, "0+3x120")],
            labels: [("longer_than", "500ms")],
            quiet: [
                (#"bearward_event_loop_delays_total{longer_than="500ms"}"#, "0+1x120"),
                (#"bearward_event_loop_delays_total{longer_than="5ms"}"#, "0+9x120"),
            ]),
        Alert(
            "LimitHit", .warning, "sum by (limit) (increase(bearward_limit_hits_total[15m])) > 10",
            "A limit was hit again and again; the label limit names it.",
            firing: [(#"bearward_limit_hits_total{limit="connections"}"#, "0+1x120")],
            labels: [("limit", "connections")],
            quiet: [(#"bearward_limit_hits_total{limit="connections"}"#, "0x100 4x20")]),
        Alert(
            "AccessLogDropsLines", .warning, "increase(bearward_access_log_dropped_lines_total[5m]) > 0",
            "The access log cannot be written fast enough, or the disk is full.",
            of: "bearward_access_log_dropped_lines_total", firing: "0+1x120", quiet: "7x120"),
        Alert(
            "LogDropsLines", .warning, "increase(bearward_log_dropped_lines_total[5m]) > 0",
            "The operational log cannot be written fast enough, or the disk is full.",
            of: "bearward_log_dropped_lines_total", firing: "0+1x120", quiet: "7x120"),
        Alert(
            "TelemetryLost", .warning,
            #"sum(increase(bearward_telemetry_spans_total{outcome!="sent"}[5m])) > 0 or increase(bearward_telemetry_exports_total{outcome="failed"}[5m]) > 2"#,
            "Spans or metrics do not reach the collector: it is away, slow, or rejects them. The log has the cause.",
            firing: [(#"bearward_telemetry_spans_total{outcome="dropped"}"#, "0+1x120")],
            quiet: [
                (#"bearward_telemetry_spans_total{outcome="sent"}"#, "0+9x120"),
                (#"bearward_telemetry_exports_total{signal="metrics",outcome="failed"}"#, "0x60 1x60"),
            ]),
    ]
}

// MARK: Issuers

extension Alert {
    private static let issuers = [
        Alert(
            "KeySetUnusable", .critical, "bearward_key_set_usable == 0", for: "1m",
            "Tokens of this issuer are answered 503.",
            firing: [(#"bearward_key_set_usable{issuer="id"}"#, "0x120")], labels: [("issuer", "id")],
            quiet: [(#"bearward_key_set_usable{issuer="id"}"#, "1x120")]),
        Alert(
            "KeySetOld", .warning, "bearward_key_set_age_seconds > bearward_key_set_stale_for_seconds * 2 / 3",
            "Keys have not been confirmed for two thirds of stale_for, after which their tokens are answered 503.",
            firing: [
                (#"bearward_key_set_age_seconds{issuer="id"}"#, "58000x120"),
                (#"bearward_key_set_stale_for_seconds{issuer="id"}"#, "86400x120"),
            ], labels: [("issuer", "id")],
            quiet: [
                (#"bearward_key_set_age_seconds{issuer="id"}"#, "57000x120"),
                (#"bearward_key_set_stale_for_seconds{issuer="id"}"#, "86400x120"),
            ]),
        Alert(
            "KeySetFetchesFail", .warning, "increase(bearward_key_set_fetch_failures_total[15m]) > 5",
            "Fetching keys fails again and again; known keys are still used.",
            firing: [(#"bearward_key_set_fetch_failures_total{issuer="id"}"#, "0+1x120")], labels: [("issuer", "id")],
            quiet: [(#"bearward_key_set_fetch_failures_total{issuer="id"}"#, "0x100 3x20")]),
        Alert(
            "IntrospectionSuspended", .critical, "bearward_introspection_breaker_open == 1",
            "The issuer does not answer introspection; opaque tokens are answered 503.",
            firing: [(#"bearward_introspection_breaker_open{issuer="id"}"#, "1x120")], labels: [("issuer", "id")],
            quiet: [(#"bearward_introspection_breaker_open{issuer="id"}"#, "0x120")]),
        Alert(
            "ForgedTokens", .warning,
            #"sum by (issuer, reason) (rate(bearward_decisions_total{reason=~"bad_signature|unknown_kid"}[5m])) > 10"#,
            "Somebody tries forged tokens, or an issuer changed its keys and does not publish them.",
            firing: [(#"bearward_decisions_total{issuer="id",reason="unknown_kid"}"#, "0+700x120")],
            labels: [("issuer", "id"), ("reason", "unknown_kid")],
            quiet: [
                (#"bearward_decisions_total{issuer="id",reason="unknown_kid"}"#, "0+500x120"),
                (#"bearward_decisions_total{issuer="id",reason="expired"}"#, "0+700x120"),
            ]),
    ]
}

// MARK: Traffic

extension Alert {
    private static let traffic = [
        Alert(
            "AnswersFail", .critical,
            #"(sum by (resource) (rate(bearward_request_duration_seconds_count{status="5xx"}[5m]))"#
                + #" - (sum by (resource) (rate(bearward_decisions_total{reason=~"key_not_asked|maintenance"}[5m]))"#
                + " or 0 * sum by (resource) (rate(bearward_request_duration_seconds_count[5m]))))"
                + " / sum by (resource) (rate(bearward_request_duration_seconds_count[5m])) > 0.05",
            "More than one answer of a resource in twenty is a 5xx, without key_not_asked and maintenance; bearward_upstream_requests_total says whether upstreams sent them.",
            firing: [
                // A small resource beside a large one.
                (#"bearward_request_duration_seconds_count{resource="small",status="5xx"}"#, "0+6x120"),
                (#"bearward_request_duration_seconds_count{resource="large",status="2xx"}"#, "0+9000x120"),
            ], labels: [("resource", "small")],
            quiet: [
                (#"bearward_request_duration_seconds_count{resource="a",status="5xx"}"#, "0+6x120"),
                (#"bearward_request_duration_seconds_count{resource="a",status="2xx"}"#, "0+94x120"),
                (#"bearward_decisions_total{resource="a",reason="maintenance"}"#, "0+2x120"),
            ]),
        Alert(
            "Slow", .warning,
            #"histogram_quantile(0.99, sum by (resource, le) (rate(bearward_request_duration_seconds_bucket{status!="1xx"}[5m]))) > 2"#,
            for: "10m",
            "One request of a resource in a hundred takes more than two seconds; bearward_upstream_duration_seconds says how long its upstreams take.",
            firing: [
                (#"bearward_request_duration_seconds_bucket{resource="a",status="2xx",le="1"}"#, "0+90x120"),
                (#"bearward_request_duration_seconds_bucket{resource="a",status="2xx",le="5"}"#, "0+100x120"),
                (#"bearward_request_duration_seconds_bucket{resource="a",status="2xx",le="+Inf"}"#, "0+100x120"),
            ], labels: [("resource", "a")],
            quiet: [
                (#"bearward_request_duration_seconds_bucket{resource="a",status="2xx",le="1"}"#, "0+100x120"),
                (#"bearward_request_duration_seconds_bucket{resource="a",status="2xx",le="+Inf"}"#, "0+100x120"),
                (#"bearward_request_duration_seconds_bucket{resource="a",status="1xx",le="+Inf"}"#, "0+100x120"),
            ]),
        Alert(
            "UpstreamTargetOut", .warning, "bearward_upstream_target_in == 0",
            "A target of an upstream gets no requests, after failures or because it was drained: /api/upstreams says why.",
            firing: [(#"bearward_upstream_target_in{resource="a",target="t:80"}"#, "0x120")],
            labels: [("resource", "a"), ("target", "t:80")],
            quiet: [(#"bearward_upstream_target_in{resource="a",target="t:80"}"#, "1x120")]),
        Alert(
            "UpstreamOut", .critical, "max without (target) (bearward_upstream_target_in) == 0", for: "1m",
            "An upstream has no target that gets requests: /api/upstreams says why.",
            firing: [
                (#"bearward_upstream_target_in{resource="a",target="t:80"}"#, "0x120"),
                (#"bearward_upstream_target_in{resource="a",target="u:80"}"#, "0x120"),
            ], labels: [("resource", "a")],
            quiet: [
                (#"bearward_upstream_target_in{resource="a",target="t:80"}"#, "0x120"),
                (#"bearward_upstream_target_in{resource="a",target="u:80"}"#, "1x120"),
            ]),
        Alert(
            "UpstreamsFail", .critical,
            #"sum by (resource) (rate(bearward_decisions_total{reason=~"upstream_.*"}[5m]))"#
                + " / sum by (resource) (rate(bearward_decisions_total[5m])) > 0.05",
            "Upstreams of a resource cannot be reached or do not answer in time, for more than one request in twenty.",
            firing: [
                (#"bearward_decisions_total{resource="a",reason="upstream_timeout"}"#, "0+6x120"),
                (#"bearward_decisions_total{resource="a",reason=""}"#, "0+94x120"),
            ], labels: [("resource", "a")],
            quiet: [
                (#"bearward_decisions_total{resource="a",reason="upstream_timeout"}"#, "0+4x120"),
                (#"bearward_decisions_total{resource="a",reason=""}"#, "0+96x120"),
                (#"bearward_decisions_total{resource="b",reason="no_token"}"#, "0+96x120"),
            ]),
    ]
}

// MARK: Policy

extension Alert {
    private static let policy = [
        Alert(
            "ObservedRuleEnforces", .info, "bearward_observe_until_timestamp_seconds - time() < 2 * 86400",
            "A rule in observe mode begins to refuse requests within two days; bearward_observed_refusals_total counts those that it would have refused.",
            firing: [(#"bearward_observe_until_timestamp_seconds{resource="a",rule="GET /x"}"#, "170000x120")],
            labels: [("resource", "a"), ("rule", "GET /x")],
            quiet: [(#"bearward_observe_until_timestamp_seconds{resource="a",rule="GET /x"}"#, "180000x120")]),
        Alert(
            "DenyListOld", .critical, "bearward_deny_list_age_seconds > 300",
            "deny_file has been invalid or missing for minutes. The list that was read before is in force, so tokens denied since may pass.",
            of: "bearward_deny_list_age_seconds", firing: "0+60x120", quiet: "200x120"),
        Alert(
            "DenyListErrors", .warning, "increase(bearward_deny_list_errors_total[15m]) > 0", for: "0s",
            "deny_file could not be read; the list that was read before is in force.",
            of: "bearward_deny_list_errors_total", firing: "0x110 1x10", quiet: "3x120"),
        Alert(
            "DenialsNotShared", .critical, "bearward_deny_list_shared_age_seconds > 60", for: "1m",
            "Denials made at other gateways may be missing here: shared_state does not answer.",
            of: "bearward_deny_list_shared_age_seconds", firing: "0+60x120", quiet: "5x120"),
        Alert(
            "SharedStateDown", .critical, "bearward_shared_state_up == 0", for: "1m",
            "shared_state is not connected: quotas and denials are not shared.",
            of: "bearward_shared_state_up", firing: "0x120", quiet: "1x120"),
        Alert(
            "SharedStateSlow", .warning,
            #"sum without (result) (rate(bearward_shared_state_questions_total{result="unanswered"}[5m]))"#
                + " / sum without (result) (rate(bearward_shared_state_questions_total[5m])) > 0.01",
            "shared_state leaves more than one question in a hundred without an answer.",
            firing: [
                (#"bearward_shared_state_questions_total{result="unanswered"}"#, "0+2x120"),
                (#"bearward_shared_state_questions_total{result="answered"}"#, "0+98x120"),
            ],
            quiet: [
                (#"bearward_shared_state_questions_total{result="unanswered"}"#, "0x120"),
                (#"bearward_shared_state_questions_total{result="answered"}"#, "0+98x120"),
            ]),
        Alert(
            "ShadowDown", .warning, "bearward_shadow_up == 0",
            "The file of --shadow was never valid, so no request is compared with it.",
            of: "bearward_shadow_up", firing: "0x120", quiet: "1x120"),
        Alert(
            "ShadowDiffers", .info,
            "sum by (resource, reason, would) (increase(bearward_shadow_differences_total[1h])) > 0", for: "0s",
            "The file of --shadow would have answered requests in another way.",
            firing: [(#"bearward_shadow_differences_total{resource="a",reason="",would="no_rule"}"#, "0x100 1x20")],
            labels: [("resource", "a"), ("would", "no_rule")],
            quiet: [(#"bearward_shadow_differences_total{resource="a",reason="",would="no_rule"}"#, "4x120")]),
    ]
}
