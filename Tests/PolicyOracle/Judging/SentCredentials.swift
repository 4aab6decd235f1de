/// Credentials of a request, from the header that its resource uses.
struct SentCredentials {
    private let credentials: Credentials
    private let hasTokenInQuery: Bool
    /// True if the request has neither `Authorization`, nor the resource's own header, nor a token in the query.
    let areAbsent: Bool

    init(_ request: Request, _ resource: Resource) {
        hasTokenInQuery = request.hasTokenInQuery
        credentials = resource.tokenHeader.map { Self.read(request, $0.prefix ?? "") } ?? request.credentials
        let isFieldAbsent = resource.tokenHeader == nil || request.tokenField == .none
        areAbsent = request.credentials == .none && isFieldAbsent && !request.hasTokenInQuery
    }

    /// Credentials in the resource's header, after its prefix.
    private static func read(_ request: Request, _ prefix: String) -> Credentials {
        switch request.tokenField {
        case .none, .empty, .twice: request.tokenField
        case .otherScheme, .malformed, .text, .token:
            if request.tokenFieldPrefix.lowercased() == prefix.lowercased() {
                request.tokenField
            } else {
                // Without the prefix there is no token; without a configured prefix, the text is beside the token.
                prefix.isEmpty ? .malformed(request.tokenFieldPrefix) : .otherScheme
            }
        }
    }

    var token: Token {
        get throws(Fault) {
            if credentials == .twice || (hasTokenInQuery && credentials != .none) {
                throw Fault([.multipleCredentials])
            }
            switch credentials {
            case .none, .empty, .otherScheme: throw Fault([.missingCredentials])
            case .twice: throw Fault([.multipleCredentials])
            case .malformed: throw Fault([.malformedCredentials])
            case .text(let text): throw Fault([text.contains(".") ? .malformed : .opaqueNotSupported])
            case .token(let token): return token
            }
        }
    }
}
