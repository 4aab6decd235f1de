/// Credentials of a request, from the header that its resource uses.
struct SentCredentials {
    private let credentials: Credentials
    private let hasTokenInQuery: Bool
    /// True if the request has neither `Authorization`, nor the resource's own header, nor a token in the query.
    let areAbsent: Bool

    init(_ request: Request, _ resource: Resource) {
        hasTokenInQuery = request.hasTokenInQuery
        let sent = Self.sent(request, resource).filter { $0 != .none }
        // Two headers of a list are as two of one name.
        credentials = sent.count > 1 ? .twice : sent.first ?? .none
        let isOwnAbsent = request.credentials == .none || resource.passesAuthorization
        areAbsent = isOwnAbsent && sent.isEmpty && !request.hasTokenInQuery
    }

    /// Content of each header that the resource reads.
    private static func sent(_ request: Request, _ resource: Resource) -> [Credentials] {
        guard let header = resource.tokenHeader else { return [request.credentials] }
        let others = header.others.map { $0 == .authorization ? request.credentials : request.otherField }
        return [read(request, header.prefix ?? "")] + others
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
