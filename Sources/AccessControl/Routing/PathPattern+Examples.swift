/// Example paths for code that compares patterns.
extension PathPattern {
    /// Paths that both patterns match, as decoded segments: at most one of each of the three least lengths.
    ///
    /// - Parameter filler: text for the wildcards of both.
    func commonPaths(with other: PathPattern, filler: [UInt8]) -> [[[UInt8]]] {
        let least = max(segmentCount, other.segmentCount)
        return (least...least + 2).compactMap { count in
            guard let own = expanded(to: count), let other = other.expanded(to: count) else { return nil }
            let texts = zip(own, other).compactMap { $0.example(with: $1, filler: filler) }
            return texts.count == count ? texts : nil
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
}
