/// Example paths for code that compares patterns.
extension PathPattern {
    /// Paths that both patterns match, as decoded segments: some of each length.
    ///
    /// - Parameters:
    ///   - most: most segments of a path, unless a pattern has more.
    ///   - fillers: texts for the wildcards of both, each for paths of its own.
    func commonPaths(with other: PathPattern, upTo most: Int, fillers: [[UInt8]]) -> [[[UInt8]]] {
        let least = max(segmentCount, other.segmentCount)
        return (least...max(least, most)).flatMap { count -> [[[UInt8]]] in
            guard let own = expanded(to: count), let other = other.expanded(to: count) else { return [] }
            let filled = fillers.map { filler in zip(own, other).compactMap { $0.example(with: $1, filler: filler) } }
            // Where the texts of both patterns touch: `a*` and `*b` match `ab`.
            let touching = zip(own, other).compactMap { own, other in
                own.touchingExample(with: other) ?? fillers.first.flatMap { own.example(with: other, filler: $0) }
            }
            return (filled + [touching]).filter { $0.count == count }
        }
    }

    /// The pattern with `*` in place of `**`, for paths of this many segments. Nil if it matches none of them.
    private func expanded(to count: Int) -> [Segment]? {
        guard coversRest ? count >= segmentCount : count == segmentCount else { return nil }
        return segments + Array(repeating: .wildcard, count: count - segmentCount) + tail
    }
}

extension PathPattern.Segment {
    /// A text that both segments match. Nil if there is none.
    ///
    /// - Parameter filler: text for the wildcards of both.
    public func example(with other: Self = .wildcard, filler: [UInt8]) -> [UInt8]? {
        switch (self, other) {
        case (.literal(let text), _): other.contains(self) ? text : nil
        case (_, .literal(let text)): contains(other) ? text : nil
        case (.partial(let own), .partial(let other)): own.common(with: other).map { $0.prefix + filler + $0.suffix }
        case (.partial(let part), _), (_, .partial(let part)): part.prefix + filler + part.suffix
        case (.parameter, _), (.wildcard, _): filler
        }
    }

    /// A text that both segments match with nothing between their literal parts. Nil if there is none, since a wildcard
    /// matches at least one byte.
    fileprivate func touchingExample(with other: Self) -> [UInt8]? {
        guard case .partial(let own) = self, case .partial(let others) = other, let common = own.common(with: others)
        else { return nil }
        let text = Self.literal(common.prefix + common.suffix)
        return contains(text) && other.contains(text) ? common.prefix + common.suffix : nil
    }
}
