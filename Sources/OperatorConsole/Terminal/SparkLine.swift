/// A series as a line of bars, each an eighth of a line or more.
enum SparkLine {
    private static let bars = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// The last values as bars, the greatest of them as high as a line. A value that is not known is a space.
    static func text(_ values: [Double?], columns: Int) -> String {
        let shown = values.suffix(max(0, columns))
        let greatest = shown.lazy.compactMap(\.self).max() ?? 0
        return shown.map { bar($0, of: greatest) }.joined()
    }

    /// - Parameter value: nil if it is not known.
    private static func bar(_ value: Double?, of greatest: Double) -> String {
        guard let value, value.isFinite, greatest.isFinite else { return " " }
        guard greatest > 0, value > 0 else { return bars.first ?? " " }
        let height = Int((value / greatest * 7).rounded())
        return bars.dropFirst(min(max(height, 0), 7)).first ?? " "
    }
}
