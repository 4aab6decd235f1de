import ConfigurationFile
import HTTPMessages
import RequestAuthorization

extension Witness {
    /// Lines that describe the request's credentials, for people.
    var tokenLines: [String] {
        switch credentials {
        case .none: ["without credentials"]
        case .broken: ["with credentials that are no token: Authorization: Basic eDp5"]
        case .token(let token, let fields):
            ["claims: \(token.claims)", "header: \(token.headerText)"]
                + (fields.places == [.authorization]
                    ? [] : ["token in: \(fields.places.map(\.fieldName).joined(separator: ", "))"])
                + (fields.hasOthers ? ["and: \(Self.broken.name): \(Self.broken.value)"] : [])
        }
    }

    /// The claims set as JSON. Nil if there is no token.
    var claims: String? {
        if case .token(let token, _) = credentials { token.claims } else { nil }
    }

    /// The protected header as JSON. Nil if there is no token.
    var header: String? {
        if case .token(let token, _) = credentials { token.headerText } else { nil }
    }

    /// Kind of credentials, in one word.
    var credentialsName: String {
        switch credentials {
        case .none: "none"
        case .broken: "broken"
        case .token: "token"
        }
    }

    /// Names of the header fields that carry the token.
    var tokenFields: [String] {
        if case .token(_, let fields) = credentials { fields.places.map(\.fieldName) } else { [] }
    }
}

extension LeastToken {
    var claims: String { String(decoding: StatedValue.object(members).json, as: UTF8.self) }

    var headerText: String { String(decoding: header.json, as: UTF8.self) }
}
