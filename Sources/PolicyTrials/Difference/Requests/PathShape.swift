import AccessControl

/// Written form of a path apart from its segments: the separators and the end.
struct PathShape: Hashable {
    /// Bit set of the gaps between segments: bit n is set if the slash after segment n is encoded (`%2F`).
    var encodedGaps = 0
    /// End of the path after the last segment: a slash, a parameter, or a doubly encoded escape.
    var suffix = ""

    func text(of segments: [[UInt8]]) -> String {
        guard encodedGaps != 0 else { return RequestPath.text(of: segments) + suffix }
        let texts = segments.map { String(RequestPath.text(of: [$0]).dropFirst()) }
        let parts = texts.enumerated().map { index, text in
            (index > 0 && encodedGaps & (1 << (index - 1)) != 0 ? "%2F" : "/") + text
        }
        return parts.joined() + suffix
    }

    /// Shapes with encoded slashes, for this number of segments: all combinations for up to 4 gaps, otherwise each gap
    /// alone.
    static func encoded(_ count: Int) -> [PathShape] {
        let gaps = count - 1
        guard gaps > 0 else { return [] }
        let choices = gaps <= 4 ? Array(1..<(1 << gaps)) : (0..<min(gaps, 30)).map { 1 << $0 }
        return choices.map { PathShape(encodedGaps: $0) }
    }
}
