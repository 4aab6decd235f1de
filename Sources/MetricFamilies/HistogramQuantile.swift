/// Estimate of a quantile from the buckets of a histogram, as Prometheus's `histogram_quantile` makes it.
public enum HistogramQuantile {
    /// The value that a share of all values do not exceed. Values count as evenly spread within their bucket. Nil if
    /// there are no values.
    ///
    /// - Parameters:
    ///   - share: from 0 to 1; 0.5 for the median.
    ///   - counts: number of values in each bucket, not cumulative. The last bucket has no bound.
    ///   - bounds: upper bounds in ascending order, one fewer than buckets. The first bucket begins at zero.
    /// - Returns: at most the greatest bound, even if values are greater.
    public static func estimate(_ share: Double, counts: [UInt64], bounds: [Double]) -> Double? {
        let total = counts.reduce(0.0) { $0 + Double($1) }
        guard total > 0, let greatest = bounds.last else { return nil }
        let rank = min(max(share, 0), 1) * total
        var (below, lower) = (0.0, 0.0)
        for (count, upper) in zip(counts, bounds) {
            let count = Double(count)
            if count > 0, below + count >= rank { return lower + (upper - lower) * max(0, rank - below) / count }
            (below, lower) = (below + count, upper)
        }
        return greatest
    }
}
