extension ClaimPattern {
    /// State of a pattern that is matched byte by byte. The result for the rest of a text depends only on this state.
    public struct Progress: Sendable, Hashable {
        /// True at index `n` if the first `n` elements of the pattern can match all bytes so far.
        fileprivate var reached: [Bool]

        /// True if the bytes so far are a text that matches.
        public var isMatched: Bool { reached.last ?? false }
    }

    /// Progress before the first byte.
    public var start: Progress { Progress(reached: [true] + elements.map { _ in false }) }

    /// Progress after one more byte. Nil if no text that begins this way matches.
    public func advanced(_ progress: Progress, over byte: UInt8) -> Progress? {
        var next = Progress(reached: elements.map { _ in false } + [false])
        var isAlive = false
        for (index, element) in elements.enumerated() where element.accepts(byte) {
            // in bounds: `reached` has one entry more than there are elements
            guard progress.reached[index] || element.isWildcard && progress.reached[index &+ 1] else { continue }
            next.reached[index &+ 1] = true
            isAlive = true
        }
        return isAlive ? next : nil
    }
}
