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
        case .token(let token, let fields):
            fields.places.map { $0.line(token.compact) }
                + (fields.hasOthers ? ["\(Self.broken.name): \(Self.broken.value)"] : [])
        }
    }
}

/// Credentials of a request.
enum WitnessCredentials: Sendable, Hashable {
    case none
    /// Credentials in a scheme that no rule accepts (`Basic`).
    case broken
    /// A token in these header fields.
    case token(LeastToken, in: TokenFields)
}

/// Header fields of a request with a token.
struct TokenFields: Sendable, Hashable {
    /// Fields that carry the token.
    let places: [TokenPlace]
    /// True if `Authorization` has credentials in another scheme, which no rule accepts.
    var hasOthers = false

    /// True if the request has an `Authorization`, with the token or without.
    var haveAuthorization: Bool { hasOthers || places.contains(.authorization) }

    func contains(_ place: TokenPlace) -> Bool { places.contains(place) }

    /// True if the request has this field, with the token or without. A file that takes tokens there counts both.
    func fill(_ place: TokenPlace) -> Bool { place == .authorization ? haveAuthorization : contains(place) }
}
