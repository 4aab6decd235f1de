import AccessControl

/// Form of a path around its segments: the separators, and the end.
struct PathShape: Hashable {
    /// A bit for each gap between two segments: whether its slash is encoded.
    var encodedGaps = 0
    /// A final slash, a parameter, or an escape that is encoded itself.
    var suffix = ""

    func text(of segments: [[UInt8]]) -> String {
        guard encodedGaps != 0 else { return RequestPath.text(of: segments) + suffix }
        let texts = segments.map { String(RequestPath.text(of: [$0]).dropFirst()) }
        let parts = texts.enumerated().map { index, text in
            (index > 0 && encodedGaps & (1 << (index - 1)) != 0 ? "%2F" : "/") + text
        }
        return parts.joined() + suffix
    }

    /// With some slashes encoded: each alone, and with few of them every choice.
    static func encoded(_ count: Int) -> [PathShape] {
        let gaps = count - 1
        guard gaps > 0 else { return [] }
        let choices = gaps <= 4 ? Array(1..<(1 << gaps)) : (0..<min(gaps, 30)).map { 1 << $0 }
        return choices.map { PathShape(encodedGaps: $0) }
    }
}
