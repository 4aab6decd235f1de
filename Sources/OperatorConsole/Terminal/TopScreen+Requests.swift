import StrictJSON

/// Panels of rules, reasons, callers and the latest refusals.
extension TopScreen {
    var rules: TopTable {
        let before = earlier?.overview["rules"]?.elements.map { (Self.key($0), $0["requests"]?.total ?? 0) } ?? []
        let counts = Dictionary(before) { first, _ in first }
        let headings = (earlier == nil ? [] : ["req/s"]) + ["requests", "401", "403", "429", "5xx", "p95"]
        return TopTable(
            "RULES", headings.map(TopTable.Column.number),
            overview["rules"]?.elements.map { rule in
                let names = [Self.name(rule["resource"], "no resource"), Self.name(rule["rule"], "no rule")]
                let rate = earlier == nil ? [] : [rate(of: rule, counts)]
                let totals = ["requests", "401", "403", "429", "5xx"].map { rule[$0].count }
                return .init(cells: [names.joined(separator: " ")] + rate + totals + [rule["p95_ms"].milliseconds])
            } ?? [])
    }

    private static func key(_ rule: JSONValue) -> [String?] { [rule["resource"]?.string, rule["rule"]?.string] }

    private static func name(_ value: JSONValue?, _ none: String) -> String {
        let name = value.shownOrDash
        return name.isEmpty ? "(\(none))" : name
    }

    /// Requests a second since the earlier overview. A dash if the rule was not in it, or if a new process counts.
    private func rate(of rule: JSONValue, _ before: [[String?]: UInt64]) -> String {
        guard let earlier, let before = before[Self.key(rule)], let now = rule["requests"]?.total, now >= before,
            earlier.age > .zero
        else { return "–" }
        return ShownNumber.rate(Double(now &- before) / (earlier.age / .seconds(1)))
    }

    var reasons: TopTable {
        TopTable(
            "REFUSED", [.number("status"), .number("count")],
            overview["refusals"]?.elements.map { refusal in
                let status = refusal["status"]?.integer.map { "\($0)" } ?? "client left"
                return .init(cells: [refusal["reason"].shownOrDash, status, refusal["count"].count])
            } ?? [])
    }

    /// The heaviest callers. Nil if they were not asked for.
    var callersTable: TopTable? {
        guard let callers else { return nil }
        let kinds = [("clients", "client"), ("subjects", "subject"), ("addresses", "address")]
        let rows = kinds.flatMap { member, kind in
            (callers[member]?["callers"]?.elements.enumerated().map { ($0, $1) } ?? []).map { rank, caller in
                (rank, Self.row(of: caller, kind))
            }
        }
        // The first of each kind before a second one.
        return TopTable(
            "CALLERS", [.init(heading: "issuer"), .init(heading: "name"), .number("requests")],
            rows.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(\.element.1))
    }

    private static func row(of caller: JSONValue, _ kind: String) -> TopTable.Row {
        let name = caller["name"].shownOrDash + (caller["cut"]?.boolean == true ? "…" : "")
        let (most, error) = (caller["count"]?.total ?? 0, caller["error"]?.total ?? 0)
        let least = error > 0 ? "\(ShownNumber.count(most &- min(error, most)))–" : ""
        return .init(cells: [kind, caller["issuer"]?.shown ?? "", name, least + ShownNumber.count(most)])
    }

    /// The latest refusals. Nil if they were not asked for.
    var refusalsTable: TopTable? {
        guard let refusals else { return nil }
        return TopTable(
            "REFUSALS", [.init(heading: "reason"), .init(heading: "request"), .init(heading: "client")],
            refusals["refusals"]?.elements.map { line in
                let status = line["status"]?.integer.map { "\($0) " } ?? ""
                let would = line["would"]?["reason"]?.shown ?? line["would"]?.shown
                let reason = line["reason"]?.shown ?? would.map { "would be \($0)" } ?? "–"
                let request = [line["method"]?.shown, line["path"]?.shown].compactMap(\.self).joined(separator: " ")
                let time = WrittenTime.clock(line["time"].shownOrDash)
                return .init(cells: [time, status + reason, request, line["client"].shownOrDash])
            } ?? [])
    }
}
