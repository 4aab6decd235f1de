import FoundationEssentials
import HTTPTypes
import Hummingbird
import JOSESigning
import ProviderFixtures
import StrictJSON

/// HTTP endpoints of a provider server, with one method each.
struct ProviderEndpoints: Sendable {
    let state: ProviderState

    var router: Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        for keySet in state.keySets { add(keySet, to: router) }
        router.post("/token") { request, _ in await token(request) }
        router.get("/token") { _, _ in Response(status: .methodNotAllowed, headers: [.allow: "POST"]) }
        router.get("/samples") { _, _ in samples() }
        if state.samples.name == .logto {
            router.post(RouterPath(ProviderState.introspectionPath)) { request, _ in await introspection(request) }
        }
        // Targets of faulty redirections. They have the valid documents, so that a client that follows one is detected.
        if let first = state.keySets.first {
            router.get("/moved/jwks") { request, _ in try keySet(first.name, for: request) }
            if let document = first.discovery.first {
                router.get("/moved/discovery") { _, _ in metadata(document, keySet: first) }
            }
        }
        IssuerControls(faults: state.faults) { oldKeys throws(SigningFailure) in try state.rotate(oldKeys) }.add(
            to: router)
        return router
    }

    /// Adds the endpoints of a key set and of the metadata that refers to it, at the provider's own paths.
    private func add(_ keySet: SampleKeySet, to router: Router<BasicRequestContext>) {
        let answers = FaultyAnswers(faults: state.faults) { state.url }
        router.get(RouterPath(keySet.path)) { request, _ in
            let count = state.keySet(keySet.name)?.keys.count ?? 0
            return try await answers.publish(.jwks, keys: count) { missing in
                try self.keySet(keySet.name, for: request, without: missing)
            }
        }
        for document in keySet.discovery {
            router.get(RouterPath(document.path)) { _, _ in
                try await answers.publish(.discovery) { _ in metadata(document, keySet: keySet) }
            }
        }
    }
}

// MARK: - Documents

extension ProviderEndpoints {
    /// Answers with the JWK set (RFC 7517 §5), with the provider's caching headers.
    ///
    /// - Parameter missing: index of a key to leave out. Nil for none.
    private func keySet(_ name: String, for request: Request, without missing: Int? = nil) throws -> Response {
        guard let keySet = state.keySet(name) else { return Response(status: .notFound) }
        var keys = keySet.keys
        if let missing, keys.indices.contains(missing) { keys.remove(at: missing) }
        let text = try state.text(of: keys)
        var fields: HTTPFields = [:]
        fields[.cacheControl] = keySet.caching.cacheControl
        fields[.age] = keySet.caching.age.map { age in String(age) }
        let tag = EntityTag(of: text)
        if keySet.caching.hasValidator {
            fields[.eTag] = tag.value
            if tag.isKnown(to: request) { return Response(status: .notModified, headers: fields) }
        }
        return .json(.ok, text, type: keySet.mediaType, fields: fields)
    }

    /// Answers with metadata (OpenID Connect Discovery 1.0 §4): the issuer is the provider's own, the endpoints are
    /// this server's.
    private func metadata(_ document: SampleDiscovery, keySet: SampleKeySet) -> Response {
        let url = state.url
        let text = JSONObjectWriter.text { writer, bytes in
            writer.member("issuer", string: document.issuer, into: &bytes)
            writer.member("token_endpoint", string: url + "/token", into: &bytes)
            writer.member("jwks_uri", string: url + keySet.path, into: &bytes)
            if state.samples.name == .logto {
                writer.member("introspection_endpoint", string: url + ProviderState.introspectionPath, into: &bytes)
            }
            writer.member("response_types_supported", strings: ["code"], into: &bytes)
            writer.member("subject_types_supported", strings: ["public"], into: &bytes)
            writer.member("id_token_signing_alg_values_supported", strings: keySet.algorithms, into: &bytes)
        }
        return .json(.ok, text, fields: [.cacheControl: "public, max-age=3600"])
    }
}

// MARK: - Samples

extension ProviderEndpoints {
    /// `GET /samples`: lists the samples that `POST /token` issues.
    private func samples() -> Response {
        let listings = (state.samples.tokens + state.samples.nearMisses).map { sample in SampleListing(sample) }
        let all = state.samples.name == .logto ? listings + [.opaque] : listings
        let text = JSONObjectWriter.text { writer, bytes in
            writer.member("provider", string: state.samples.name.rawValue, into: &bytes)
            writer.objects("samples", all, into: &bytes) { listing, writer, bytes in
                listing.write(with: &writer, into: &bytes)
            }
        }
        return .json(.ok, text)
    }

    /// `POST /token`: issues the sample that the form names, with the current time.
    private func token(_ request: Request) async -> Response {
        do throws(TokenEndpointError) {
            guard let form = FormParameters(try await request.declaredForm()) else { throw .malformedForm }
            let minted = try state.mint(try SampleRequest(form), at: Int(Date().timeIntervalSince1970))
            return .json(
                .ok,
                JSONObjectWriter.text { writer, bytes in
                    writer.member("access_token", string: minted.token, into: &bytes)
                    writer.member("token_type", string: "Bearer", into: &bytes)
                    writer.member("expires_in", integer: minted.expiresIn, into: &bytes)
                })
        } catch {
            return error.response
        }
    }

    /// Answers an introspection request (RFC 7662 §2). Any client is accepted that states its ID, and the secret if the
    /// server has one.
    private func introspection(_ request: Request) async -> Response {
        do throws(TokenEndpointError) {
            guard let form = FormParameters(try await request.declaredForm()) else { throw .malformedForm }
            try admit(try client(of: request, form))
            guard let token = form["token"] else { throw .missingParameter("token") }
            return .json(.ok, state.introspection(of: token, at: Int(Date().timeIntervalSince1970)))
        } catch {
            return error.response
        }
    }

    private func client(of request: Request, _ form: FormParameters) throws(TokenEndpointError) -> ClientCredentials {
        if let field = request.headers[.authorization] { return try ClientCredentials(basic: field) }
        guard let client = form["client_id"] else { throw .clientRefused }
        return ClientCredentials(client: client, secret: form["client_secret"] ?? "")
    }

    private func admit(_ client: ClientCredentials) throws(TokenEndpointError) {
        guard let secret = state.clientSecret else { return }
        guard client.secret.utf8.elementsEqual(secret.utf8) else { throw .clientRefused }
    }
}

extension ProviderState {
    static let introspectionPath = "/oidc/token/introspection"
}
