/// Panel of `bearward top`: headings, and a line for each row.
struct TopTable {
    struct Column {
        let heading: String
        /// True if the column is aligned at its right.
        var isNumber = false

        static func number(_ heading: String) -> Column { Column(heading: heading, isNumber: true) }
    }

    struct Row {
        /// A text for each column.
        let cells: [String]
        var style = TopLine.Style.plain
    }

    /// Heading of the first column.
    let title: String
    let columns: [Column]
    let rows: [Row]

    init(_ title: String, _ columns: [Column], _ rows: [Row]) {
        (self.title, self.columns, self.rows) = (title, columns, rows)
    }

    /// Fewest columns of the terminal that a text keeps beside others.
    private static let narrowest = 8
    private static let gap = "  "

    /// Lines with at most this many rows, cut to the width.
    func lines(rows count: Int, width: Int) -> [TopLine] {
        let shown = rows.prefix(max(0, count))
        guard !rows.isEmpty else { return [TopLine(DisplayWidth.cut("\(title)  none", to: width), .title)] }
        let heading = shown.count < rows.count ? "\(title) (\(shown.count) of \(rows.count))" : title
        let texts = [[heading] + columns.map(\.heading)] + shown.map(\.cells)
        let widths = widths(of: texts, within: width)
        let styles = [TopLine.Style.title] + shown.map(\.style)
        return zip(texts, styles).map { line($0, widths, $1, width) }
    }

    private func line(_ cells: [String], _ widths: [Int], _ style: TopLine.Style, _ width: Int) -> TopLine {
        let areNumbers = [false] + columns.map(\.isNumber)
        let padded = zip(zip(cells, widths), areNumbers).map { cell, isNumber in
            DisplayWidth.padded(DisplayWidth.cut(cell.0, to: max(1, cell.1)), to: cell.1, isNumber: isNumber)
        }
        var text = DisplayWidth.cut(padded.joined(separator: Self.gap), to: width)
        while text.last == " " { text.removeLast() }
        return TopLine(text, style)
    }

    /// Widths of the columns: of their widest texts, and less for the widest texts until all fit.
    private func widths(of texts: [[String]], within width: Int) -> [Int] {
        let areNumbers = [false] + columns.map(\.isNumber)
        var widths = areNumbers.enumerated().map { index, _ in
            texts.lazy.compactMap { $0.dropFirst(index).first }.map(DisplayWidth.columns).max() ?? 0
        }
        let gaps = Self.gap.utf8.count &* columns.count
        while true {
            let excess = widths.reduce(gaps, &+) &- width
            let texts = widths.indices.filter { !areNumbers[$0] && widths[$0] > Self.narrowest }
            guard excess > 0, let widest = texts.max(by: { widths[$0] < widths[$1] }) else { return widths }
            // One at a time, so that texts of a similar width stay so.
            widths[widest] &-= 1
        }
    }
}
