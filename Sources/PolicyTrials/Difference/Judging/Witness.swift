import HTTPMessages
import RequestAuthorization

/// A request with which the two configurations are compared. It proves a difference if they answer it differently.
public struct Witness: Sendable, Hashable {
    public let method: String
    /// URL of the request. Only a path if the host can be any that neither file names.
    public let url: String
    /// Credentials that the request carries, if any.
    let credentials: WitnessCredentials

    /// The field with credentials that no rule accepts.
    static let broken = (name: "Authorization", value: "Basic eDp5")

    /// Lines of its header fields.
    public var fields: [String] {
        switch credentials {
        case .none: []
        case .broken: ["\(Self.broken.name): \(Self.broken.value)"]
        case .token(let token, let places): places.map { $0.line(token.compact) }
        }
    }
}

/// Credentials of a request.
enum WitnessCredentials: Sendable, Hashable {
    case none
    /// Credentials in a scheme that no rule accepts (`Basic`).
    case broken
    /// A token in these header fields.
    case token(LeastToken, in: [TokenPlace])
}
