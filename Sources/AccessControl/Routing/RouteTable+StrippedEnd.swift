import TokenVerification

/// A path that a rule matches by its end alone, and the stricter rule for the path without that end.
///
/// The end is text after a wildcard (`*.css`) or segments behind `**` (`/**/healthz`). A server that removes such an
/// end before it chooses what to serve, serves under the first rule what the second one protects.
public struct StrippedEnd: Hashable, Sendable {
    /// The rule that matches by the end.
    public let rule: RuleIndex
    public let stricter: RuleIndex
    /// Example of a path of the rule.
    public let path: String
    /// The same path without the end, which is for the stricter rule.
    public let stripped: String
}

extension RouteTable {
    /// Finds a stripped end for each open rule that has one. Each is proved by an example, so none is invented.
    ///
    /// Examples are made of each pair of patterns, of each length up to one more than that of the longest pattern. Not
    /// examined are texts by which a third rule distinguishes further.
    ///
    /// - Parameters:
    ///   - isOpen: true if a rule permits requests without a token.
    ///   - isStricter: true if a rule does not.
    public func strippedEnds(limit: Int, isOpen: (RuleIndex) -> Bool, isStricter: (RuleIndex) -> Bool)
        -> [StrippedEnd]
    {
        let open = routes.indexed.filter { index, route in route.path.hasParts && isOpen(index) }
        guard !open.isEmpty else { return [] }
        let stricter = routes.indexed.filter { index, _ in isStricter(index) }
        let fillers = self.fillers
        let most = 1 + (routes.map(\.path.segmentCount).max() ?? 0)
        var found: [StrippedEnd] = []
        for (index, route) in open where found.count < limit {
            let ends = fillers.flatMap { route.path.ends(filler: $0) }
            for (_, other) in stricter {
                guard let end = strippedEnd(of: index, ends, beside: other, upTo: most, fillers, isStricter) else {
                    continue
                }
                found.append(end)
                break
            }
        }
        return found
    }

    private func strippedEnd(
        of rule: RuleIndex, _ ends: [PatternEnd], beside other: RoutePattern, upTo most: Int, _ fillers: [[UInt8]],
        _ isStricter: (RuleIndex) -> Bool
    ) -> StrippedEnd? {
        guard let own = routes[rule], ends.contains(where: { $0.stripped.mayOverlap(other.path) }) else { return nil }
        let named = own.methods.tokens.isEmpty ? other.methods.tokens + ["ANY"] : own.methods.tokens
        // A rule for GET is one for HEAD too.
        let methods = named.contains("GET") && !named.contains("HEAD") ? named + ["HEAD"] : named
        for end in ends {
            for segments in end.stripped.commonPaths(with: other.path, upTo: most, fillers: fillers) {
                let (path, stripped) = (RequestPath.text(of: end.added(to: segments)), RequestPath.text(of: segments))
                for method in methods where self.rule(method, path) == rule {
                    guard let stricter = self.rule(method, stripped), isStricter(stricter) else { continue }
                    return StrippedEnd(rule: rule, stricter: stricter, path: path, stripped: stripped)
                }
            }
        }
        return nil
    }

    private func rule(_ method: String, _ text: String) -> RuleIndex? {
        var path = RequestPath()
        do {
            try path.canonicalize(Array(text.utf8).span)
        } catch {
            return nil
        }
        return match(method: Array(method.utf8).span, path: path, below: 0)?.ruleIndex
    }

    /// Two texts that no segment of a rule names, or that hardly one does. The second is for paths in which the first
    /// makes such a name with the text beside it.
    private var fillers: [[UInt8]] {
        let named = routes.flatMap { $0.path.segments + $0.path.tail }.filter(\.hasLiteral)
        let candidates = ["x", "y", "z", "any", "some", "any-text", "some-text"].map { Array($0.utf8) }
        let free = candidates.filter { text in !named.contains { $0.contains(.literal(text)) } }
        return Array((free + candidates.suffix(2)).prefix(2))
    }
}

/// The end of a pattern that a server may remove.
private struct PatternEnd {
    /// The pattern without the end.
    let stripped: PathPattern
    /// Text after the last segment's wildcard.
    let text: [UInt8]
    let segments: [[UInt8]]

    /// The decoded segments of a path with this end.
    func added(to path: [[UInt8]]) -> [[UInt8]] {
        guard let last = path.last, !text.isEmpty else { return path + segments }
        return path.dropLast() + [last + text]
    }
}

extension PathPattern {
    /// Ends that a server may remove: text after the last wildcard, and each number of segments behind `**`. A final
    /// `**` may match no segment, so that the text before it ends the path.
    fileprivate func ends(filler: [UInt8]) -> [PatternEnd] {
        let segmentwise = tail.indices.reversed().map { index in
            PatternEnd(
                stripped: PathPattern(segments: segments, coversRest: true, tail: Array(tail[..<index])), text: [],
                segments: tail[index...].compactMap { $0.example(filler: filler) })
        }
        guard case .partial(let part)? = (segments + tail).last, !part.suffix.isEmpty else { return segmentwise }
        let prefix = PartialSegment(prefix: part.prefix, suffix: [], name: nil)
        let rest = part.prefix.isEmpty ? Segment.wildcard : .partial(prefix)
        let stripped =
            tail.isEmpty
            ? PathPattern(segments: segments.dropLast() + [rest], coversRest: coversRest, tail: [])
            : PathPattern(segments: segments, coversRest: true, tail: tail.dropLast() + [rest])
        return segmentwise + [PatternEnd(stripped: stripped, text: part.suffix, segments: [])]
    }
}
