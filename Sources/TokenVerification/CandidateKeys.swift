import JOSE

/// The keys that may have signed a token: the one that it names, or where names are missing a few that fit. Never
/// empty.
public struct CandidateKeys: Sendable {
    public let first: SelectedKey
    /// Tried behind it, in their order.
    public let others: [SelectedKey]

    /// No more are tried for one token: each costs a signature, and the sender would decide how many.
    public static let most = 4

    public init(_ only: SelectedKey) {
        first = only
        others = []
    }

    /// Nil if there are none or more than ``most``.
    public init?(_ keys: [SelectedKey]) {
        guard let first = keys.first, keys.count <= Self.most else { return nil }
        self.first = first
        others = Array(keys.dropFirst())
    }
}
