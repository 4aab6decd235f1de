extension HostAndPort {
    /// The same of bytes, by offsets.
    public struct Offsets: Sendable, Hashable {
        /// Without its brackets; possibly empty.
        public let host: Range<Int>
        public let isBracketed: Bool
        /// Range after the host and its closing bracket: empty, or a colon and the port. Anything else is a fault.
        public let rest: Range<Int>

        /// Nil if an opening bracket is never closed.
        @inlinable
        public init?(_ text: Span<UInt8>) {
            isBracketed = !text.isEmpty && text[0] == UInt8(ascii: "[")
            let start = isBracketed ? 1 : 0
            let end = isBracketed ? UInt8(ascii: "]") : UInt8(ascii: ":")
            var index = start
            while index < text.count, text[index] != end { index &+= 1 }
            guard !isBracketed || index < text.count else { return nil }
            host = start..<index
            rest = (isBracketed ? index &+ 1 : index)..<text.count
        }
    }
}
