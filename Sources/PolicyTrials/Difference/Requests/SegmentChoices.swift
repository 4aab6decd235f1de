import AccessControl

/// Texts to try for one segment of a path: every literal that a rule names there, and one text for each set of other
/// named segments that a text can match.
///
/// A text matches a segment such as `v*` or `{id}.json` by its beginning and end. So the texts are made of each
/// beginning and each end, with other text between them, and where they touch or overlap.
struct SegmentChoices {
    /// Texts that some rule names, in part or whole.
    let named: [[UInt8]]
    /// A text that no rule names.
    let other: [UInt8]
    /// False if there are too many texts. Then some are missing.
    let areComplete: Bool

    /// Most combinations of a beginning and an end.
    private static let mostPairs = 4096

    /// - Parameters:
    ///   - trees: nodes of the trees at this segment.
    ///   - avoided: segments that `other` should not match either.
    ///   - depth: index of the segment. Texts at different depths differ.
    init(_ trees: [SegmentTree], avoiding avoided: [PathPattern.Segment], depth: Int) {
        let literals = Set(trees.flatMap { $0.literals.keys }).sorted { $0.lexicographicallyPrecedes($1) }
        let parts = Set(trees.flatMap { $0.partials.keys })
        let all = Array(parts) + avoided + literals.map { .literal($0) }
        let prefixes = Self.sorted(parts.compactMap { $0.part?.prefix })
        let suffixes = Self.sorted(parts.compactMap { $0.part?.suffix })
        areComplete = prefixes.count * suffixes.count <= Self.mostPairs
        let filler = Self.text(.wildcard, besides: all, depth)
        other = filler
        guard !parts.isEmpty, areComplete else {
            named = literals + parts.compactMap { $0.example(filler: filler) }
            return
        }
        let texts = prefixes.flatMap { prefix in
            suffixes.flatMap { suffix in
                let part = PartialSegment(prefix: prefix, suffix: suffix, name: nil)
                return [Self.text(.partial(part), besides: all, depth)] + Self.joined(prefix, suffix)
            }
        }
        var seen: Set<Set<PathPattern.Segment>> = [[]]
        let literal = Set(literals)
        named =
            literals
            + texts.filter { text in
                !literal.contains(text) && seen.insert(parts.filter { $0.contains(.literal(text)) }).inserted
            }
    }

    /// A text that matches a segment, and as few of the others as possible.
    private static func text(_ segment: PathPattern.Segment, besides all: [PathPattern.Segment], _ depth: Int)
        -> [UInt8]
    {
        let letters = ["x", "y", "z", "w", "v", "u"]
        let usual = letters.indices.contains(depth) ? letters[depth] : "x\(depth)"
        let numbered = (1...all.count + 1).map { "\(usual)-\($0)" }
        let texts = ([usual] + numbered + "abcdefghijklmnopqrstuvwxyz0123456789".map { String($0) }).lazy.compactMap {
            segment.example(filler: Array($0.utf8))
        }
        let others = all.filter { !$0.contains(segment) }
        return texts.first { text in !others.contains { $0.contains(.literal(text)) } } ?? Array(usual.utf8)
    }

    /// Texts with both parts and nothing between them. The parts may overlap: `ab` and `bc` in `abc`.
    private static func joined(_ prefix: [UInt8], _ suffix: [UInt8]) -> [[UInt8]] {
        guard !prefix.isEmpty, !suffix.isEmpty else { return [] }
        return (0...min(prefix.count, suffix.count)).filter { prefix.suffix($0).elementsEqual(suffix.prefix($0)) }.map {
            prefix + suffix.dropFirst($0)
        }
    }

    /// The parts without repetition, and the empty one.
    private static func sorted(_ parts: [[UInt8]]) -> [[UInt8]] {
        Set(parts + [[]]).sorted { $0.lexicographicallyPrecedes($1) }
    }
}

extension PathPattern.Segment {
    /// The segment's literal parts. Nil if it has none, or is a literal.
    fileprivate var part: PartialSegment? { if case .partial(let part) = self { part } else { nil } }
}
