/// How much of a limit one client's address may take.
public enum AddressShare: Sendable, Hashable {
    /// Another as long as the address holds fewer than are free: one client alone gets half, a second one half of what
    /// is left. The next client finds room, however much those before it take.
    case fair
    case atMost(Int)
    case unbounded

    /// True if an address may have another.
    ///
    /// - Parameters:
    ///   - held: how many it has.
    ///   - free: how many nobody has.
    public func permitsAnother(besides held: Int, free: Int) -> Bool {
        switch self {
        case .fair: held < free
        case .atMost(let limit): held < limit
        case .unbounded: true
        }
    }
}
