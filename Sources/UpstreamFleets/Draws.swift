import NetworkNames

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Pseudo-random numbers from a seed (SplitMix64): fast, and repeatable for a simulation. Not for secrets.
struct Draws: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// Random index from 0 to `count`, exclusive.
    ///
    /// - Parameter count: more than zero.
    mutating func index(below count: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(truncatingIfNeeded: max(1, count))).high)
    }

    /// Random number from 0 to 1, without 1.
    mutating func fraction() -> Double { Self.fraction(next()) }

    /// Score of a key at a target. A key goes to the target with the highest product of score and weight, so that
    /// weights count in proportion (weighted rendezvous hashing).
    static func affinity(_ key: UInt64, _ target: UInt64) -> Double {
        -1 / log(max(fraction(mixed(key ^ target)), .leastNonzeroMagnitude))
    }

    /// Hash of a target's name. It is the same in every process.
    static func identity(of name: String) -> UInt64 {
        mixed(FNV1a.hash(name.utf8.span))
    }

    private static func fraction(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }

    static func mixed(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

extension Duration {
    /// Duration in whole nanoseconds, clamped to the range of Int64.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, isBeyond) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isBeyond ? (seconds < 0 ? .min : .max) : sum
    }
}
