/// Lines of a screen, divided among its panels.
enum TopLayout {
    /// Number of rows of each panel, beside its headings. Nil for a panel that has no place.
    ///
    /// Each panel gets a row before another one gets a second. The first panels count more.
    static func rows(wanted: [Int], lines: Int) -> [Int?] {
        var left = lines
        var rows: [Int?] = wanted.map { wanted in
            let first = min(wanted, 1)
            guard left > first else { return nil }
            left &-= first &+ 1
            return first
        }
        var isDone = false
        while left > 0, !isDone {
            isDone = true
            rows = zip(rows, wanted).map { rows, wanted in
                guard let rows, rows < wanted, left > 0 else { return rows }
                isDone = false
                left &-= 1
                return rows &+ 1
            }
        }
        return rows
    }
}
