/// A common fault, named by its effect on clients.
public enum NamedFault: String, Sendable, Hashable, CaseIterable {
    /// Both documents are answered with 503.
    case down
    /// Both documents are answered after ten seconds.
    case slow
    /// Both documents are answered with a body that is not JSON.
    case garbage
    /// One key is missing in each key set, another one each time.
    case flap
    /// The key set is an object without members.
    case empty

    /// The fault with this name.
    public var fault: IssuerFault {
        switch self {
        case .down: IssuerFault(status: 503)
        case .slow: IssuerFault(delay: .seconds(10))
        case .garbage: IssuerFault(body: .junk)
        case .flap: IssuerFault(of: [.jwks], keys: .oneMissingInTurn)
        case .empty: IssuerFault(of: [.jwks], body: .object)
        }
    }
}
