extension IPAddress: CustomStringConvertible {
    /// The recommended text form (RFC 5952 §4): lower case, with "::" for the longest run of zero groups. IPv4 in
    /// dotted decimal.
    public var description: String {
        if isIPv4 { return (12..<16).map { String(byte(at: $0)) }.joined(separator: ".") }
        guard let run = longestRunOfZeros else { return text(of: 0..<8) }
        return text(of: 0..<run.lowerBound) + "::" + text(of: run.upperBound..<8)
    }

    /// The first of the longest runs of zero groups. Nil if none has at least two groups.
    private var longestRunOfZeros: Range<Int>? {
        var longest = 0..<0
        var start = 0
        for index in 0..<8 {
            if group(at: index) != 0 { start = index &+ 1 }
            if index &+ 1 &- start > longest.count { longest = start..<index &+ 1 }
        }
        return longest.count > 1 ? longest : nil
    }

    private func text(of groups: Range<Int>) -> String {
        groups.map { String(group(at: $0), radix: 16) }.joined(separator: ":")
    }
}
