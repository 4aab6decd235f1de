import HTTPMessages
import RequestAuthorization

/// A request that the two configurations answer differently.
public struct Witness: Sendable, Hashable {
    public let method: String
    /// With its host, or a path alone where any host will do.
    public let url: String
    /// Credentials of the request, if it has any.
    let credentials: WitnessCredentials

    /// The lines of its fields.
    public var fields: [String] {
        switch credentials {
        case .none: []
        case .broken: ["Authorization: Basic eDp5"]
        case .token(let token, let places): places.map { $0.line(token.compact) }
        }
    }
}

/// The credentials of a request.
enum WitnessCredentials: Sendable, Hashable {
    case none
    /// Some that no rule takes.
    case broken
    /// A token, in these places.
    case token(LeastToken, in: [TokenPlace])
}
