import AccessControl

/// The deny list of a configuration, and whether its requests are checked against the list. Open streams are always
/// checked, because a later configuration may deny their tokens.
public struct AskedDenials: Sendable {
    public let list: DenyList
    public let judgesRequests: Bool

    public init(list: DenyList, judgesRequests: Bool) {
        self.list = list
        self.judgesRequests = judgesRequests
    }
}
