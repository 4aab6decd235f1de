import DevelopmentIssuer

/// A token of the demo's requests. The raw value is the name of its shell variable in the guide.
enum DemoToken: String, Sendable, Hashable, CaseIterable {
    case read = "READ"
    case write = "WRITE"
    case expired = "EXPIRED"
    case elsewhere = "ELSEWHERE"
    case forged = "FORGED"

    var request: TokenRequest {
        var request = TokenRequest(
            client: "storefront", subject: "ada", audiences: [DemoFile.resource], scopes: ["shopping:read"],
            lifetime: .seconds(12 * 3600))
        switch self {
        case .read: break
        case .write: request.scopes = ["shopping:read", "shopping:write"]
        case .expired: request.lifetime = .seconds(-600)
        case .elsewhere: request.audiences = ["https://billing.your-app.com/api"]
        case .forged: request.signer = .impostor
        }
        return request
    }
}

extension AuthorizationServer {
    func mint(_ token: DemoToken) throws(CommandFailure) -> String {
        do throws(MintingFailure) {
            return try mint(token.request)
        } catch {
            throw .tokenNotMade
        }
    }
}
