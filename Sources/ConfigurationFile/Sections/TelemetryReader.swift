import NetworkNames
import Telemetry

/// Reads `telemetry`.
enum TelemetryReader {
    static func read(_ value: Value) -> TelemetrySettings? {
        guard let section = Section(value, of: TelemetryKeys.self) else { return nil }
        let (collector, service) = (section.required(\.collector), section.read(\.serviceName).value)
        let (traces, metrics) = (section.read(\.traces), section.read(\.metrics))
        guard let collector, let service, !traces.isWrong, !metrics.isWrong else { return nil }
        guard !traces.isAbsent || !metrics.isAbsent else {
            value.reportMissing(
                "nothing is exported", hint: "write `traces: {sample: 1%}`, `metrics: {every: 30s}` or both")
            return nil
        }
        var settings = TelemetrySettings(collector: collector)
        (settings.traces, settings.metricsInterval) = (traces.value, metrics.value)
        settings.serviceName = service
        return settings
    }

    // MARK: The collector

    static func collector(_ value: Value) -> CollectorSettings? {
        guard let section = Section(value, of: CollectorKeys.self) else { return nil }
        let (endpoint, headers, anchors) = (
            section.required(\.endpoint), section.read(\.headersFile), section.read(\.caFile)
        )
        guard let endpoint, !headers.isWrong, !anchors.isWrong else { return nil }
        if endpoint.scheme == .http {
            section[\.caFile]?.warnPlace(
                "no certificate is checked over `http://`", hint: "write `https://`, or leave it out")
        }
        var settings = CollectorSettings(endpoint: endpoint)
        (settings.headersFile, settings.caFile) = (headers.value, anchors.value)
        return settings
    }

    static func endpoint(_ value: Value) -> HTTPURL? {
        guard let text = value.someText(expected: "a URL"),
            let url = value.judgeURL(text, permitsPlainHTTP: true, hint: "write `http://127.0.0.1:4318`")
        else { return nil }
        for signal in TelemetrySignal.allCases where [signal.path, signal.path + "/"].contains(where: text.hasSuffix) {
            return value.refuse("`\(signal.path)` is appended by the gateway", hint: "leave it out")
        }
        guard !url.target.contains("?") else {
            return value.refuse("a path is appended to this URL, so it can have no query", hint: "write `headers_file`")
        }
        if url.isPlainAbroad {
            value.warn(
                "spans go over plain http: whoever is on the way reads who calls what, and the fields of `headers_file`",
                hint: "write `https://`", weakens: .telemetry)
        }
        if url.port == 4317 {
            value.warn("4317 is the port of OTLP over gRPC, and this is OTLP over HTTP", hint: "write port 4318")
        }
        return url
    }

    static func headersFile(_ value: Value) -> String? {
        guard let path = value.someText(expected: "a path"),
            let file = value.secretFile(path, longest: CollectorFields.longestFile)
        else { return nil }
        do throws(CollectorFields.Fault) {
            guard !(try CollectorFields(file.bytes)).fields.isEmpty else {
                return value.refuse("`\(path)` has no header field", hint: "write a line `name: value` for each")
            }
        } catch {
            return value.refuse("`\(path)`, line \(error.line): \(error.reason)")
        }
        return value.reading.resolve(path)
    }

    // MARK: Traces and metrics

    static func share(_ value: Value) -> TracingSettings.Share? {
        guard let text = value.someText(expected: "a percentage such as `1%`") else { return nil }
        // The same form as in the schema.
        guard text.wholeMatch(of: /(100|[0-9]{1,2}(\.[0-9]{1,4})?)%/) != nil, let percent = Double(text.dropLast())
        else { return value.refuse("`\(text)` is not a percentage", hint: "write `0%` to `100%`, or such as `0.5%`") }
        return .percent(percent)
    }

    static func rate(_ value: Value) -> Int? {
        guard let text = value.someText(expected: "a number a second such as `200/s`") else { return nil }
        guard text.hasSuffix("/s"), let number = Int(text.dropLast(2)), (1...999_999).contains(number),
            "\(number)/s" == text
        else { return value.refuse("`\(text)` is not a number a second", hint: "write `1/s` to `999999/s`") }
        return number
    }

    static func interval(_ value: Value) -> Duration? {
        guard let section = Section(value, of: ExportedMetricsKeys.self) else { return nil }
        return section.read(\.every).value
    }
}
