import HTTPTypes
import Hummingbird
import NIOCore
import StrictJSON

/// The issuer's answers, one method per endpoint.
struct IssuerEndpoints: Sendable {
    let state: IssuerState

    /// The longest body that is read.
    private static let longestForm = 16 * 1024

    var router: Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.get("/.well-known/openid-configuration") { _, _ in try await publish(.discovery) { metadata() } }
        router.get("/.well-known/oauth-authorization-server") { _, _ in try await publish(.discovery) { metadata() } }
        router.get("/jwks") { request, _ in try await publish(.jwks) { keySet(for: request) } }
        // Where a faulty redirection leads: sound documents, so that a client that follows one is found out.
        router.get("/moved/discovery") { _, _ in metadata() }
        router.get("/moved/jwks") { request, _ in keySet(for: request) }
        router.post("/token") { request, _ in await token(request) }
        router.get("/token") { _, _ in Response(status: .methodNotAllowed, headers: [.allow: "POST"]) }
        router.post("/rotate") { request, _ in await rotate(request) }
        router.post("/fault") { request, _ in await fault(request) }
        return router
    }

    static func form(of request: Request) async -> String? {
        guard let body = try? await request.body.collect(upTo: longestForm) else { return nil }
        return String(buffer: body)
    }
}

// MARK: - Documents

extension IssuerEndpoints {
    /// Answers with the document, or as the fault in force has it.
    private func publish(_ document: IssuerDocument, _ answer: () -> Response) async throws -> Response {
        guard let fault = state.nextFault(for: document) else { return answer() }
        try await Task.sleep(for: fault.delay)
        guard fault.status != nil || fault.body != nil else { return answer() }
        let status = HTTPResponse.Status(code: fault.status ?? 200)
        var response = Response.json(status, (fault.body ?? .junk).text)
        if status.kind == .redirection { response.headers[.location] = state.issuer + "/moved/" + document.rawValue }
        return response
    }

    /// The authorization server metadata (RFC 8414 §2), the same for OpenID Connect Discovery.
    private func metadata() -> Response {
        let issuer = state.issuer
        let algorithms = state.algorithms.map(\.rawValue)
        let text = JSONObjectText.make { writer, bytes in
            writer.member("issuer", string: issuer, into: &bytes)
            writer.member("token_endpoint", string: issuer + "/token", into: &bytes)
            writer.member("jwks_uri", string: issuer + "/jwks", into: &bytes)
            writer.member("grant_types_supported", strings: ["client_credentials"], into: &bytes)
            writer.member("response_types_supported", strings: [], into: &bytes)
            writer.member("subject_types_supported", strings: ["public"], into: &bytes)
            writer.member("id_token_signing_alg_values_supported", strings: algorithms, into: &bytes)
            let methods = ["none", "client_secret_post", "client_secret_basic"]
            writer.member("token_endpoint_auth_methods_supported", strings: methods, into: &bytes)
        }
        return .json(.ok, text, fields: [.cacheControl: "public, max-age=300"])
    }
}
