import NetworkNames

/// Settings of traces: how many requests have their spans recorded, and whose trace is continued.
public struct TracingSettings: Sendable, Hashable {
    /// Share of the requests whose spans are recorded.
    public var sample = Share.percent(1)
    /// Share of the refused requests whose spans are recorded, besides those that ``sample`` chose.
    public var refused = Share.all
    /// Largest number of recorded requests a second. Sampled and refused ones are counted apart.
    public var most = 200
    /// Networks of peers whose trace is continued. The trace of any other peer is only linked.
    public var trustedParents: [AddressRange] = []

    public init() {}

    /// Share of all requests, decided by 64 random bits of each.
    public struct Share: Sendable, Hashable {
        /// Random numbers up to this one are chosen. Nil if none is.
        private let greatest: UInt64?

        private let percent: Double

        public static let all = percent(100)

        private init(greatest: UInt64?, percent: Double) {
            self.greatest = greatest
            self.percent = percent
        }

        /// - Parameter percent: 0 to 100. Other numbers count as the nearest of these.
        public static func percent(_ percent: Double) -> Share {
            guard percent < 100 else { return Share(greatest: .max, percent: 100) }
            guard percent > 0 else { return Share(greatest: nil, percent: 0) }
            return Share(greatest: UInt64(percent / 100 * 0x1p64), percent: percent)
        }

        /// The share as a percentage, such as `0.5%`.
        public var text: String { Int(exactly: percent).map { "\($0)%" } ?? "\(percent)%" }

        @inlinable
        @inline(__always)
        public func has(_ random: UInt64) -> Bool { contains(random) }

        @usableFromInline
        func contains(_ random: UInt64) -> Bool { greatest.map { random <= $0 } ?? false }
    }
}
