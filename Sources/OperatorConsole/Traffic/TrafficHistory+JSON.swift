import StrictJSON

extension TrafficHistory {
    /// Writes the series as members, oldest value first. Durations are in milliseconds.
    func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.member("interval_seconds", integer: Self.interval.components.seconds, into: &bytes)
        let series: [(String, (TrafficPoint) -> Double?)] = [
            ("requests_per_second", \.requests), ("client_errors_per_second", \.clientErrors),
            ("server_errors_per_second", \.serverErrors),
            ("p50_ms", { $0.median.map(\.milliseconds) }), ("p99_ms", { $0.percentile99.map(\.milliseconds) }),
        ]
        for (name, value) in series {
            json.beginArray(name, into: &bytes)
            // Null if there is none.
            for point in points { json.element(real: (value(point) ?? .nan).hundredths, into: &bytes) }
            json.end(into: &bytes)
        }
    }
}
