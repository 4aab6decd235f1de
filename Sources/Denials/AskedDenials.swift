import AccessControl

/// The list that a configuration asks about tokens. It is always asked about open streams, because a later
/// configuration may deny their tokens.
public struct AskedDenials: Sendable {
    public let list: DenyList
    public let judgesRequests: Bool

    public init(list: DenyList, judgesRequests: Bool) {
        self.list = list
        self.judgesRequests = judgesRequests
    }
}
