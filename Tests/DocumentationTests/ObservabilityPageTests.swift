import AccessControl
import ConfigurationFile
import JOSE
import KeySets
import KnownTokens
import Logging
import Logs
import MetricFamilies
import ProxySettings
import Quotas
import SharedState
import Telemetry
import TelemetryExport
import Testing
import TokenIntrospection
import TokenVerification
import TransportSecurity

@testable import Denials
@testable import GatewayAssembly
@testable import KeySetFetching
@testable import ReverseProxy

/// `docs/observability.md`: every metric, every member of both logs, and what to watch.
@Suite struct ObservabilityPageTests {
    /// Every metric family with its labels, from a gateway in which every event has happened once.
    private static func families() throws -> [MetricFamily] {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let accessLog = try AccessLog(.none, logger: logger)
        let gateway = GatewayState(
            accessLog: accessLog, memory: MemoryWatch(), names: NameResolver(logger: logger), logger: logger)
        gateway.decisions.finished.add(1, ["", "", "", ""])
        gateway.decisions.observed.add(1, ["", "", "", ""])
        gateway.doorAnswers.add(1, ["nginx", "permitted"])
        gateway.shadowCounts.differences.add(1, ["", "", "", ""])
        var requests = CountBlocks(series: 1, counters: 2)
        requests.add(1, to: 0, counter: 0)
        gateway.requestCounts.sums.take(&requests) { _ in ["", "", "2xx"] }
        let attempts = UpstreamTally()
        attempts.answered(attempts.row(of: "127.0.0.1:80"), .successful, after: 1)
        attempts.handOver(to: gateway.attempts)
        var shadowLoads = FileLoads()
        shadowLoads.noteSuccess()
        let settings = DenialSettings(
            file: ("/list", { _, _ throws(DenyFileFailure) in throw .unreadable("") }), reading: (.empty, nil),
            issuers: DenyIssuers([]), stateDirectory: "/state", isOpen: true,
            store: StoreSettings(host: "127.0.0.1", port: 6379, secret: []))
        var denials = DenialLifecycle(settings, DenyDigests(try #require(TokenDigestKey())), saved: nil, nil)
        _ = denials.taken(settings, at: .now)
        _ = denials.peersAnswered([], nil, at: .now)
        let telemetry = TelemetryExporter(
            TelemetryResource(version: "1", startedAt: 0), proxies: .none, clock: { 0 }, logger: logger)
        let parts = [
            gateway.trafficFamilies(observed: [ObservedRule(("", ""), NumericDate(seconds: 1))]),
            [WeakeningSetting.family(of: [:])],
            RunningShadow.families(of: shadowLoads, isUsed: true),
            gateway.shadowCounts.families(isUsed: true), gateway.requestCounts.families, gateway.attempts.families,
            UpstreamReport.families(of: []), [TLSIdentity.family(of: [])],
            KeySetStatus.families(of: [("id", [keySet])]), RealmsStatus.families(of: [("id", realms)]),
            IntrospectionStatus.families(of: [introspection]),
            KeyTables(limit: 0, wake: { _ in }, report: { _ in }).status.families,
            TokenCacheStatistics.families(of: nil, after: TokenCacheStatistics()), [QuotaTable(limit: 1).family],
            StoreFigures.families(of: StoreFigures()), denials.families(at: .now) { _ in .empty },
            ReloadCounts().families(isReady: true, generation: 1, digest: "", restarts: 0),
            accessLog.families(logLines: 0),
            telemetry.families, process.families,
        ]
        return parts.flatMap(\.self)
    }

    private static let keySet = KeySetStatus(
        issuer: "id", source: .jwkSetURL("https://id.example/keys"), firstFetchHasEnded: true, usableKeyCount: 1,
        skippedKeys: [], lastSuccess: nil, age: .seconds(1), staleLimit: .seconds(2), restoredFromDisk: false,
        lastFailure: nil,
        nextFetch: NumericDate(seconds: 1), generation: 1, isTooStale: false, counters: KeySetCounters())

    private static let realms = RealmsStatus(
        pattern: "https://id.example/realms/{realm}", places: 1, most: 2, counters: RealmAdmissions.Counters())

    private static let introspection = IntrospectionStatus(
        issuer: "id", endpoint: nil, counters: IntrospectionCounters(), keptAnswers: 0, cacheHits: 0, cacheMisses: 0,
        questionsUnderWay: 0, requestsWaiting: 0, isPaused: false)

    private static let process = ProcessStatistics(
        cpuSeconds: 1, residentBytes: 1, virtualBytes: 1, openDescriptors: 1, descriptorLimit: 1, startTime: 1)

    /// Labels of families without a sample above.
    private static let otherLabels = [
        "bearward_certificate_not_after_timestamp_seconds": ["name"],
        "bearward_upstream_target_in": ["resource", "path", "target"],
        "bearward_upstream_requests_waiting": ["resource", "path"],
    ]

    private static func labels(_ family: MetricFamily) -> String {
        labelNames(family).map { "`\($0)`" }.joined(separator: ", ")
    }

    private static func labelNames(_ family: MetricFamily) -> [String] {
        guard let sample = family.samples.first else { return otherLabels["\(family.name)"] ?? [] }
        // Every histogram has `le`.
        return sample.labels.map { "\($0.name)" }.filter { $0 != "le" }
    }

    /// Every name that an expression can use, with its labels; a histogram has three names.
    static func labelsBySample() throws -> [String: Set<String>] {
        var labels: [String: Set<String>] = [:]
        for family in try families() {
            let suffixes = family.kind == .histogram ? ["_bucket", "_sum", "_count"] : [""]
            for suffix in suffixes { labels["\(family.name)\(suffix)"] = Set(labelNames(family)) }
        }
        return labels
    }

    private static func page() throws -> String {
        var lines = [
            MadePage.notice, "", "# Observability", "",
            "Set `admin: 127.0.0.1:9901` for metrics and health checks. `/metrics` has the text format of Prometheus, and `/livez` says that the",
            "process answers. `/readyz` says whether requests should be sent here and how each issuer's keys are.",
            "A finished request is in `/metrics` and in the access log within half a second.",
            "",
            "Prometheus on another machine needs an address that it reaches, and a network that is answered",
            "([the admin listener](operating.md#health-and-the-admin-listener)):",
            "",
            "```yaml",
            "admin: {address: \"0.0.0.0:9901\", allow: [10.0.0.0/8]}",
            "```",
            "",
            "It scrapes with `scrape_configs: [{job_name: bearward, static_configs: [{targets: [\"10.0.0.5:9901\"]}]}]`.",
            "",
            "Labels are names from the configuration or words of closed lists. No client can add a value.", "",
            "`bearward_decisions_total` has one value of `reason` that is no [reason](reasons.md): `\(DecisionCounts.clientGone)`. The client left, or was too slow,",
            "before its answer was complete.", "",
            "Durations and bytes are counted when a request ends, so a stream or a WebSocket counts once, with all of its time. `status` is the",
            "class of the status that the client was sent, such as `2xx`. `1xx` is a WebSocket, and empty means that the client was sent none.",
            "",
            "## Metrics", "",
            "| Metric | Type | Labels | Meaning |", "|---|---|---|---|",
        ]
        for family in try families().sorted(by: { "\($0.name)" < "\($1.name)" }) {
            lines.append("| `\(family.name)` | \(family.kind.rawValue) | \(labels(family)) | \(family.help) |")
        }
        lines += [
            "",
            "An attempt at a target has one of these values of `outcome`. A request that is repeated makes two attempts.",
            "",
            "| Outcome | Meaning |", "|---|---|",
        ]
        for outcome in UpstreamOutcome.allCases { lines.append("| `\(outcome.label)` | \(outcome.meaning) |") }
        lines += [
            "", "## Alerts worth having", "",
            "[`deploy/monitoring/alerts.yaml`](../deploy/monitoring/alerts.yaml) has them as rules for Prometheus. A dashboard for Grafana is",
            "in [`deploy/monitoring/grafana-dashboard.json`](../deploy/monitoring/grafana-dashboard.json).", "",
            "`critical` means that requests fail now, or that a denied token may pass. `warning` is for somebody to look at within a day, and",
            "`info` for what is about to change. `promtool test rules` with",
            "[`deploy/monitoring/alerts.test.yaml`](../deploy/monitoring/alerts.test.yaml) tries each alert. The Kubernetes component",
            "[`monitoring`](../deploy/kubernetes/README.md) has rules and dashboard too.", "",
            "| Alert | Severity | Expression | For | What it means |", "|---|---|---|---|---|",
        ]
        for alert in Alert.all {
            let expression = alert.expression.replacing("|", with: "\\|")
            lines.append(
                "| `Bearward\(alert.name)` | \(alert.severity.rawValue) | `\(expression)` | \(alert.duration) | \(alert.meaning) |"
            )
        }
        lines += [
            "", "## The access log", "",
            "One JSON object a request, on standard output or in the file that `access_log` names. Members come in this order. A token is never",
            "in it, and what a token says is there only as the table tells. Names that a token brings are cut after 64 bytes, and",
            "values that `access_log` chooses after 128.",
            "Characters that act on a terminal, turn the direction of a text or are not seen are escaped, as `\\u202e`.",
            "",
            "| Member | Type | Meaning | Absent |", "|---|---|---|---|",
        ]
        for member in AccessLogMember.allCases {
            lines.append(
                "| `\(member.rawValue)` | \(member.text.type) | \(member.text.meaning) | \(member.text.absence.isEmpty ? "never" : member.text.absence) |"
            )
        }
        lines += [
            "",
            "`redact` in the configuration hashes or drops `subject`, `client_id`, `token_id`, `detail` and chosen values, and writes the rule's",
            "pattern in place of `path`. SIGUSR1 reopens the file after it was moved away.",
            "", "## Attributes of spans", "",
            "[OpenTelemetry](opentelemetry.md) says which requests have spans. Texts are cut after \(SpanBatch.longestText) bytes.",
            "",
            "| Attribute | Of | Meaning |", "|---|---|---|",
        ]
        for attribute in SpanAttribute.allCases {
            lines.append("| `\(attribute.name)` | \(attribute.text.owner) | \(attribute.text.meaning) |")
        }
        lines += [
            "", "## The operational log", "",
            "What happens to the gateway itself, on standard error: starts, reloads, key sets, certificates, failures. `log: {format, level}`",
            "in the configuration says how. JSON is one object a line. First come `time` (RFC 3339, UTC, milliseconds), `level`",
            "(\(LogSettings.Level.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))) and `message`, then the members below that the message has.",
            "A message is the same every time, so search for it. As text, the default on a terminal, the cause follows the message.",
            "",
            "| Member | Type | Meaning |", "|---|---|---|",
        ]
        for member in LogMember.allCases {
            lines.append("| `\(member.rawValue)` | \(member.type.rawValue) | \(member.meaning) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test func `docs/observability.md is generated from the metrics and log members`() throws {
        try MadePage(path: "docs/observability.md", text: Self.page()).check()
    }

    @Test func `every metric has a unique name, unique help text, and documented labels`() throws {
        let families = try Self.families()
        #expect(Set(families.map { "\($0.name)" }).count == families.count)
        #expect(Set(families.map { "\($0.help)" }).count == families.count)
        for family in families {
            #expect("\(family.help)".hasSuffix("."))
            #expect(
                !family.samples.isEmpty || Self.otherLabels["\(family.name)"] != nil,
                "\(family.name) has no sample to take labels from")
        }
    }
}
