/// The tables of rules and of reasons, since the start of the process.
struct ConsoleCounts {
    private let rules: RuleTable
    private let refusals: [ReasonCount]

    init(_ overview: Overview) {
        (rules, refusals) = (overview.rules, overview.refusals)
    }

    var html: String {
        """
        <section id="rules" aria-labelledby="rules-title" tabindex="-1">
        <div class="title"><h2 id="rules-title">Rules by refusals</h2>
        <span class="dim">since the start, <span id="never-hit">\(rules.neverHit) rules never hit</span>, \
        <span id="rules-count">\(rules.rows.count) rows</span></span>
        <span class="right with-script" hidden>
        <label class="beside">find <input id="rule-filter" type="search" spellcheck="false" autocomplete="off"></label>
        <label class="beside"><input id="rule-unused" type="checkbox"> never hit only</label></span></div>
        <table>
        <thead><tr><th scope="col">rule</th><th class="c-rate" scope="col">req/s</th><th scope="col">requests</th>\
        <th scope="col">401</th><th scope="col">403</th><th scope="col">429</th><th scope="col">5xx</th>\
        <th scope="col">p95</th><th scope="col">would</th></tr></thead>
        <tbody id="rules-list">
        \(rules.rows.map(row).joined(separator: "\n"))
        </tbody>
        </table>
        <p id="rules-none" class="dim" hidden>No such rules.</p>
        </section>
        <section id="reasons" aria-labelledby="reasons-title">
        <div class="title"><h2 id="reasons-title">Refusals by reason</h2></div>
        <table>
        <thead><tr><th scope="col">reason</th><th scope="col">status</th><th scope="col">requests</th></tr></thead>
        <tbody id="reasons-list">
        \(refusals.map(row).joined(separator: "\n"))
        </tbody>
        </table>
        <p id="reasons-none" class="dim"\(refusals.isEmpty ? "" : " hidden")>No refusals.</p>
        </section>
        """
    }

    private func row(_ rule: RuleTable.Row) -> String {
        let pattern = rule.rule.isEmpty ? "(no \(rule.resource.isEmpty ? "resource" : "rule") matched)" : rule.rule
        let requests = rule.requests == 0 ? "never hit" : ShownNumber.count(rule.requests)
        let counts = [
            ("401", rule.unauthorized), ("403", rule.forbidden), ("429", rule.tooMany), ("5xx", rule.serverErrors),
        ]
        let cells = counts.map { label, count in
            let none = count == 0 ? " none" : ""
            return #"<td class="c-\#(label)\#(none)" data-label="\#(label)">\#(ShownNumber.count(count))</td>"#
        }
        return """
            <tr\(rule.requests == 0 ? " class=\"unused\"" : "")><th class="rule" scope="row"><span class="place dim">\
            \(HTMLText.escaped(rule.resource))</span><code class="pattern">\(HTMLText.escaped(pattern))</code></th>\
            <td class="c-rate" data-label="req/s">–</td><td class="c-requests" data-label="requests">\(requests)</td>\
            \(cells.joined())<td class="c-p95\(rule.percentile95 == nil ? " none" : "")" data-label="p95">\
            \(ShownNumber.duration(rule.percentile95))</td>\(would(rule))</tr>
            """
    }

    private func would(_ rule: RuleTable.Row) -> String {
        let parts = [
            rule.observed == 0 ? nil : "observe: \(ShownNumber.count(rule.observed)) refused",
            rule.shadowed == 0 ? nil : "shadow: \(ShownNumber.count(rule.shadowed)) differ",
        ].compactMap(\.self)
        let words = parts.isEmpty ? "–" : parts.joined(separator: ", ")
        return #"<td class="would\#(parts.isEmpty ? " none" : "")" data-label="would">\#(words)</td>"#
    }

    private func row(_ refusal: ReasonCount) -> String {
        let status = refusal.status.map { "\($0)" } ?? "client left"
        return """
            <tr><th scope="row"><code class="reason">\(HTMLText.escaped(refusal.reason))</code></th>\
            <td class="status">\(status)</td><td class="count">\(ShownNumber.count(refusal.count))</td></tr>
            """
    }
}
