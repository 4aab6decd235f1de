import StrictJSON

/// State of the process and of its file, and the traffic.
extension TopScreen {
    var head: [TopLine] {
        let isReady = overview["ready"]?.boolean == true
        let state = isReady ? "● ready" : "○ NOT READY: \(overview["obstacle"].shownOrDash)"
        let process = [
            "bearward \(overview["version"].shownOrDash) on \(overview["node"].shownOrDash)",
            "up \(overview["uptime_seconds"].span)", state,
        ]
        return [TopLine(process.joined(separator: " · "), isReady ? .title : .alarm), file] + shadow + [load]
    }

    private var file: TopLine {
        let file = overview["configuration"]
        let parts = [
            "file: generation \(file?["generation"].count ?? "–")",
            file?["sha256"]?.shown.map { "SHA-256 \($0.prefix(12))" },
            file?["last_error"]?.shown.map { "○ the last load failed: \($0)" },
        ]
        let hasFailed = file?["last_error"]?.shown != nil
        return TopLine(parts.compactMap(\.self).joined(separator: " · "), hasFailed ? .alarm : .plain)
    }

    /// The file of `--shadow`. Empty without that option.
    private var shadow: [TopLine] {
        guard let shadow = overview["shadow"], !shadow.isNull else { return [] }
        let counts = ["same", "different", "unknown"].map { "\(shadow[$0].count) \($0)" }
        let parts = ["shadow: generation \(shadow["generation"].count)"] + counts
        guard let error = shadow["last_error"]?.shown else { return [TopLine(parts.joined(separator: " · "))] }
        return [TopLine((parts + ["○ the last load failed: \(error)"]).joined(separator: " · "), .alarm)]
    }

    private var load: TopLine {
        let hits = overview["token_cache_hits"]?.total ?? 0
        let (lookups, isBeyond) = hits.addingReportingOverflow(overview["token_cache_misses"]?.total ?? 0)
        let share = lookups == 0 || isBeyond ? "–" : "\(ShownNumber.rate(Double(hits) / Double(lookups) * 100)) %"
        let parts = [
            "\(overview["requests_in_flight"].count) requests in flight",
            "\(overview["connections"].count) connections",
            "token cache \(share) hits", "at \(WrittenTime.clock(overview["time"].shownOrDash)) UTC",
        ]
        return TopLine(parts.joined(separator: " · "), .dim)
    }

    /// The last sample, and requests a second of the samples before.
    func traffic(columns: Int) -> [TopLine] {
        let traffic = overview["traffic"]
        let rates = [
            ("requests/s", "requests_per_second"), ("4xx/s", "client_errors_per_second"),
            ("5xx/s", "server_errors_per_second"),
        ].map { "\($0.0) \(Self.last(traffic?[$0.1])?.real.map(ShownNumber.rate) ?? "–")" }
        let durations = ["p50", "p99"].map { "\($0) \(Self.last(traffic?["\($0)_ms"]).milliseconds)" }
        let series = traffic?["requests_per_second"]?.elements.map(\.real) ?? []
        return [
            TopLine("TRAFFIC  " + (rates + durations).joined(separator: " · "), .title),
            TopLine(SparkLine.text(series, columns: columns)),
        ]
    }

    private static func last(_ series: JSONValue?) -> JSONValue? {
        series?[index: (series?.count ?? 0) &- 1]
    }
}
