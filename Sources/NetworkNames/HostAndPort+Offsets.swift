extension HostAndPort {
    /// Parts of `host:port` in a byte span, as ranges of offsets.
    public struct Offsets: Sendable, Hashable {
        /// The range of the host, without brackets. May be empty.
        public let host: Range<Int>
        public let isBracketed: Bool
        /// The range after the host and its closing bracket: empty, or a colon and the port. Anything else is an error
        /// for the caller to detect.
        public let rest: Range<Int>

        /// Splits the bytes at the end of the host. Nil if an opening bracket is never closed.
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
