import StrictJSON

/// Screen of `bearward top`: the panels of the operators' page as lines of text.
///
/// All that the gateway wrote is escaped as in a log for a terminal. A member that is absent is shown as a dash.
public struct TopScreen {
    /// Answer of `/api/overview`.
    let overview: JSONValue
    /// Answer of `/api/callers`. Nil if it was not asked for.
    let callers: JSONValue?
    /// Answer of `/api/refusals`. Nil if it was not asked for.
    let refusals: JSONValue?
    /// An earlier overview and the time since. Nil if there is none, so that no rates of rules are known.
    let earlier: (overview: JSONValue, age: Duration)?
    /// Reasons why panels are missing.
    private let notes: [String]

    public init(
        overview: JSONValue, callers: JSONValue? = nil, refusals: JSONValue? = nil,
        earlier: (overview: JSONValue, age: Duration)? = nil, notes: [String] = []
    ) {
        (self.overview, self.callers, self.refusals) = (overview, callers, refusals)
        (self.earlier, self.notes) = (earlier, notes)
    }

    /// Lines that fit a terminal.
    ///
    /// - Parameter rows: lines of the terminal. Nil for all lines that there are, with an empty one between panels.
    public func lines(columns: Int, rows: Int?) -> [TopLine] {
        let head = head + traffic(columns: columns) + notes.map { TopLine($0.visible, .dim) }
        let all = tables
        let height = head.count &+ all.reduce(0) { $0 &+ max(1, $1.rows.count) &+ 2 }
        guard let rows, height > rows else {
            return cut(head + all.flatMap { [TopLine("")] + $0.lines(rows: .max, width: columns) }, to: columns)
        }
        // Panels without a row are left out first.
        let tables = all.filter { !$0.rows.isEmpty }
        let counts = TopLayout.rows(wanted: tables.map(\.rows.count), lines: rows &- head.count)
        let panels = zip(tables, counts).flatMap { table, count in
            count.map { table.lines(rows: $0, width: columns) } ?? []
        }
        return cut(Array((head + panels).prefix(max(0, rows))), to: columns)
    }

    private func cut(_ lines: [TopLine], to columns: Int) -> [TopLine] {
        lines.map { TopLine(DisplayWidth.cut($0.text, to: columns), $0.style) }
    }

    /// Time of the overview. Nil if it is not written as expected.
    var now: WrittenTime? { overview["time"]?.string.flatMap { WrittenTime($0) } }

    private var tables: [TopTable] {
        [issuers, upstreams, rules, reasons, soon, callersTable, refusalsTable].compactMap(\.self)
    }
}
