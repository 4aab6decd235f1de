/// A fault named after what clients see of it.
public enum NamedFault: String, Sendable, Hashable, CaseIterable {
    /// Both documents answer 503.
    case down
    /// Both documents take ten seconds.
    case slow
    /// Both documents are no JSON.
    case garbage
    /// Each answer of the key set lacks another key in turn; the next one has it again.
    case flap
    /// The key set is an object without members.
    case empty

    /// The fault that produces it.
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
