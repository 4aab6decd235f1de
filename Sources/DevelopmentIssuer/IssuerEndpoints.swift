import HTTPTypes
import Hummingbird
import JOSESigning
import StrictJSON

/// HTTP endpoints of the development issuer, with one method each.
struct IssuerEndpoints: Sendable {
    let state: IssuerState

    var router: Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.get("/.well-known/openid-configuration") { _, _ in
            try await answers.publish(.discovery) { _ in metadata() }
        }
        router.get("/.well-known/oauth-authorization-server") { _, _ in
            try await answers.publish(.discovery) { _ in metadata() }
        }
        router.get("/jwks") { request, _ in
            try await answers.publish(.jwks, keys: state.publishedKeys.count) { missing in
                keySet(for: request, without: missing)
            }
        }
        // Targets of faulty redirections. They have the valid documents, so that a client that follows one is detected.
        router.get("/moved/discovery") { _, _ in metadata() }
        router.get("/moved/jwks") { request, _ in keySet(for: request) }
        router.post("/token") { request, _ in await token(request) }
        router.get("/token") { _, _ in Response(status: .methodNotAllowed, headers: [.allow: "POST"]) }
        controls.add(to: router)
        return router
    }

    private var answers: FaultyAnswers {
        FaultyAnswers(faults: state.faults) { state.issuer }
    }

    private var controls: IssuerControls {
        IssuerControls(faults: state.faults) { oldKeys throws(SigningFailure) in
            RotatedKeys(keyID: try state.rotate(oldKeys), published: state.publishedKeys.map(\.keyID))
        }
    }
}

// MARK: - Documents

extension IssuerEndpoints {
    /// Answers with the authorization server metadata (RFC 8414 §2), which OpenID Connect Discovery serves too.
    private func metadata() -> Response {
        let issuer = state.issuer
        let algorithms = state.algorithms.map(\.rawValue)
        let text = JSONObjectWriter.text { writer, bytes in
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
