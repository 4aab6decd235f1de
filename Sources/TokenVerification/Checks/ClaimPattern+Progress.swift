extension ClaimPattern {
    /// Progress of a pattern over the bytes of a text. Nothing else decides what can follow.
    public struct Progress: Sendable, Hashable {
        /// For each number of elements, whether they can have taken all bytes so far.
        fileprivate var reached: [Bool]

        /// Whether the bytes so far are a text that matches.
        public var isMatched: Bool { reached.last ?? false }
    }

    /// Before the first byte.
    public var start: Progress { Progress(reached: [true] + elements.map { _ in false }) }

    /// Progress after one more byte. Nil if no text that begins this way matches.
    public func advanced(_ progress: Progress, over byte: UInt8) -> Progress? {
        var next = Progress(reached: elements.map { _ in false } + [false])
        var isAlive = false
        for (index, element) in elements.enumerated() where element.accepts(byte) {
            // in bounds: a progress has one more than there are elements
            guard progress.reached[index] || element.isWildcard && progress.reached[index &+ 1] else { continue }
            next.reached[index &+ 1] = true
            isAlive = true
        }
        return isAlive ? next : nil
    }
}
