import Foundation
import Testing

/// `deploy/monitoring/alerts.yaml` and what is made beside it: its tests, and the Kubernetes component's copy.
@Suite struct AlertTests {
    private static let notice =
        "# Alerts worth having. Made from the program by `make docs`; a test compares, and promtool checks."

    private static let rules = """
        \(notice)
        groups:
        \(groups(indentation: ""))
        """

    /// The rules as the Prometheus operator reads them.
    private static let resource = """
        \(notice)
        apiVersion: monitoring.coreos.com/v1
        kind: PrometheusRule
        metadata:
          name: bearward
          labels: {app.kubernetes.io/name: bearward, app.kubernetes.io/part-of: bearward}
        spec:
          groups:
        \(groups(indentation: "  "))
        """

    private static func groups(indentation: String) -> String {
        var lines = ["  - name: bearward", "    rules:"]
        for alert in Alert.all {
            lines += [
                "      - alert: Bearward\(alert.name)", "        expr: '\(alert.expression)'",
                "        for: \(alert.duration)", "        labels: {severity: \(alert.severity.rawValue)}",
                "        annotations: {summary: \"\(alert.meaning)\"}",
            ]
        }
        return lines.map { indentation + $0 + "\n" }.joined()
    }

    /// For each alert, series for which it fires, and others for which it does not, after two hours.
    private static let tests = """
        # `promtool test rules` with this file tries each alert. Made from the program by `make docs`; a test compares.
        rule_files: [alerts.yaml]
        evaluation_interval: 1m
        tests:
        \(Alert.all.map { test($0, fires: true) + test($0, fires: false) }.joined())
        """

    private static func test(_ alert: Alert, fires: Bool) -> String {
        var lines = ["  - interval: 1m", "    input_series:"]
        for (name, values) in fires ? alert.firing : alert.quiet {
            lines.append("      - {series: '\(name)', values: '\(values)'}")
        }
        lines += ["    alert_rule_test:", "      - eval_time: 2h", "        alertname: Bearward\(alert.name)"]
        if fires {
            let labels = alert.labels + [("severity", alert.severity.rawValue)]
            lines += [
                "        exp_alerts:",
                "          - exp_labels: {\(labels.map { "\($0.0): \"\($0.1)\"" }.joined(separator: ", "))}",
                "            exp_annotations: {summary: \"\(alert.meaning)\"}",
            ]
        } else {
            lines.append("        exp_alerts: []")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    @Test func `the alert rules, their tests and the Kubernetes resource are generated from the same alerts`() throws {
        try MadePage(path: "deploy/monitoring/alerts.yaml", text: Self.rules).check()
        try MadePage(path: "deploy/monitoring/alerts.test.yaml", text: Self.tests).check()
        try MadePage(path: "deploy/kubernetes/components/monitoring/prometheus-rule.yaml", text: Self.resource).check()
    }

    @Test func `alerts use existing metrics and labels only, and each has a name of its own`() throws {
        let known = try ObservabilityPageTests.labelsBySample()
        #expect(Set(Alert.all.map(\.name)).count == Alert.all.count)
        for alert in Alert.all where alert.name != "Down" {
            let named = alert.expression.matches(of: /bearward_[a-z_]+/).map { String($0.output) }
            #expect(!named.isEmpty && named.allSatisfy { known[$0] != nil }, "\(alert.expression)")
            for (series, _) in alert.firing + alert.quiet {
                let name = String(series.prefix { $0 != "{" })
                let labels = series.matches(of: /(\w+)="/).map { String($0.output.1) }
                #expect(named.contains(name), "\(alert.name): \(series)")
                #expect(Set(labels).subtracting(["le"]).isSubset(of: known[name] ?? []), "\(alert.name): \(series)")
            }
        }
    }

    @Test func `the Service that the Prometheus Operator scrapes has a name by which a gateway that is down is known`()
        throws
    {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../deploy/kubernetes/base/service.yaml").standardized
        let services = try String(contentsOf: file, encoding: .utf8).split(separator: "\n---\n")
        let scraped = try #require(services.first { $0.contains("app.kubernetes.io/component: admin") })
        let name = try #require(scraped.firstMatch(of: /\n  name: (\S+)/)).output.1
        let down = try #require(Alert.all.first { $0.name == "Down" })
        #expect(down.labels.contains { $0.name == "job" && $0.value == name })
    }

    @Test func `every metric that an alert names has a panel on the dashboard`() throws {
        let shown = try DashboardTests.metrics()
        for alert in Alert.all {
            for match in alert.expression.matches(of: /bearward_[a-z_]+/) {
                #expect(shown.contains(String(match.output)), "\(alert.name): \(match.output)")
            }
        }
    }
}
