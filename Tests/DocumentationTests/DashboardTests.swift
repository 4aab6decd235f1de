import Foundation
import Testing

/// `deploy/monitoring/grafana-dashboard.json`: every queried metric exists.
@Suite struct DashboardTests {
    private struct Dashboard: Decodable {
        struct Input: Decodable {
            let name: String
            let pluginId: String
        }

        struct Source: Decodable, Equatable {
            let type: String
            let uid: String
        }

        struct Position: Decodable {
            let x: Int
            let y: Int
            let w: Int
            let h: Int

            func overlaps(_ other: Position) -> Bool {
                x < other.x + other.w && other.x < x + w && y < other.y + other.h && other.y < y + h
            }
        }

        struct Target: Decodable {
            let datasource: Source
            let expr: String
        }

        struct Panel: Decodable {
            let id: Int
            let type: String
            let title: String
            let gridPos: Position
            let datasource: Source?
            let targets: [Target]?
        }

        let inputs: [Input]
        let schemaVersion: Int
        let panels: [Panel]

        enum CodingKeys: String, CodingKey {
            case inputs = "__inputs"
            case schemaVersion, panels
        }
    }

    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../deploy/monitoring/grafana-dashboard.json").standardized

    private static func dashboard() throws -> Dashboard {
        try JSONDecoder().decode(Dashboard.self, from: Data(contentsOf: file))
    }

    /// Labels that Prometheus adds, and the bucket label of histograms.
    private static let commonLabels: Set<String> = ["instance", "le"]

    @Test func `every dashboard panel queries existing metrics by existing labels`() throws {
        let labels = try ObservabilityPageTests.labelsBySample()
        var count = 0
        for panel in try Self.dashboard().panels where panel.type != "row" {
            let targets = try #require(panel.targets, "\(panel.title)")
            #expect(!targets.isEmpty, "\(panel.title)")
            for expression in targets.map(\.expr) {
                count += 1
                let metrics = Self.metrics(in: expression)
                #expect(!metrics.isEmpty, "\(panel.title): \(expression)")
                for metric in metrics { #expect(labels[metric] != nil, "\(panel.title): \(metric)") }
                let known = metrics.reduce(Self.commonLabels) { $0.union(labels[$1] ?? []) }
                #expect(Self.labels(in: expression).isSubset(of: known), "\(panel.title): \(expression)")
            }
        }
        #expect(count > 40)
    }

    /// The dashboard as Grafana's sidecar reads it. JSON without the space of the file is a third of it.
    @Test func `the Kubernetes ConfigMap has the dashboard`() throws {
        let dashboard = try JSONSerialization.jsonObject(with: Data(contentsOf: Self.file))
        let json = try JSONSerialization.data(
            withJSONObject: dashboard, options: [.sortedKeys, .withoutEscapingSlashes])
        let text = """
            # deploy/monitoring/grafana-dashboard.json, made by `make docs`; a test compares.
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: bearward-dashboard
              labels: {app.kubernetes.io/name: bearward, app.kubernetes.io/part-of: bearward, grafana_dashboard: "1"}
            data:
              bearward.json: |
                \(String(decoding: json, as: UTF8.self))

            """
        try MadePage(path: "deploy/kubernetes/components/monitoring/dashboard.yaml", text: text).check()
    }

    /// The metrics that panels query.
    static func metrics() throws -> Set<String> {
        let expressions = try dashboard().panels.flatMap { $0.targets ?? [] }.map(\.expr)
        return Set(expressions.flatMap(metrics(in:)))
    }

    private static func metrics(in expression: String) -> [String] {
        expression.matches(of: /\b(?:bearward|process)_[a-z_]+/).map { String($0.output) }
    }

    /// The labels that an expression selects or groups by.
    private static func labels(in expression: String) -> Set<String> {
        let selected = expression.matches(of: /(\w+)(?:=~|!~|!=|=)"/).map { String($0.output.1) }
        let grouped = expression.matches(of: /\bby \(([^)]*)\)/).flatMap { match in
            match.output.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return Set(selected + grouped)
    }

    @Test func `the dashboard asks for the data source on import, and every panel uses it`() throws {
        let dashboard = try Self.dashboard()
        #expect(dashboard.schemaVersion >= 38)
        let input = try #require(dashboard.inputs.first)
        #expect(dashboard.inputs.count == 1 && input.pluginId == "prometheus")
        let source = Dashboard.Source(type: "prometheus", uid: "${\(input.name)}")
        for panel in dashboard.panels where panel.type != "row" {
            #expect(panel.datasource == source, "\(panel.title)")
            #expect(panel.targets?.allSatisfy { $0.datasource == source } == true, "\(panel.title)")
        }
        // The variables are listed too; the other identifier is the dashboard's own.
        let identifiers = try String(contentsOf: Self.file, encoding: .utf8).matches(of: /"uid": "([^"]*)"/).map {
            String($0.output.1)
        }
        #expect(Set(identifiers) == [source.uid, "bearward"])
    }

    @Test func `dashboard panels have unique ids and do not overlap`() throws {
        let panels = try Self.dashboard().panels
        #expect(Set(panels.map(\.id)).count == panels.count)
        for (index, panel) in panels.enumerated() {
            #expect(panel.gridPos.x >= 0 && panel.gridPos.x + panel.gridPos.w <= 24, "\(panel.title)")
            for other in panels[..<index] {
                #expect(!panel.gridPos.overlaps(other.gridPos), "\(panel.title) and \(other.title)")
            }
        }
    }
}
