import AccessControl
import AssumedTokens
import ConfigurationFile
import HTTPMessages
import JOSE
import ProxySettings
import RequestAuthorization
import TokenVerification

/// Parts of a configuration that requests are judged by.
struct PolicyUnderTest {
    var resources: IndexedBy<ResourceIndex, ProtectedResource>
    var issuers: IndexedBy<IssuerIndex, TrustedIssuer>

    init(_ configuration: Configuration) {
        resources = configuration.protectedResources
        issuers = configuration.issuers.mapped(\.trusted)
    }

    /// Makes the authorizer that judges requests by these parts.
    ///
    /// - Throws: `PlaceConflict` if two resources have the same place, which no valid configuration has.
    func authorizer() throws(PlaceConflict) -> AssumedAuthorizer {
        try AssumedAuthorizer(resources: resources, issuers: issuers)
    }
}

/// A test whose request and token are made already, so that any policy can judge it.
struct PreparedTest {
    let stated: StatedTest
    let time: NumericDate
    let signer: AssumedAuthorizer.Signer
    /// The request. Nil if the test states no valid HTTP request; `fault` is its fault then.
    let request: AuthorizationRequest?
    let fault: MessageFault?
    /// Claims of the token, verified or not. Nil if there is no readable token.
    let claims: ClaimsSet?
    /// Header of the token. Nil if there is no readable token.
    let header: ProtectedHeader?

    init(
        _ test: StatedTest, _ tokens: TestTokens, _ authorizer: AssumedAuthorizer, limits: HeadLimits, now: NumericDate
    ) {
        stated = test
        let time = test.time ?? now
        self.time = time
        let bare = Self.parsed(test.request, authorizer, limits)
        // The resource is found without a token. Its audience is the default for the token's `aud`.
        let resource = bare.request.flatMap { request in
            var request = request
            return Observation.resource(authorizer.judge(&request, signedBy: .named, at: time))
        }
        let (token, signer) = tokens.token(of: test, for: resource, at: time)
        self.signer = signer
        claims = token.flatMap { UnverifiedToken.claims(of: Array($0.utf8).span) }
        header = token.flatMap { UnverifiedToken.header(of: Array($0.utf8).span) }
        let whole = ExplainedRequest(
            method: test.request.method, url: test.request.url, token: token, fields: test.request.fields,
            tokenField: test.request.tokenField)
        (request, fault) = token == nil ? bare : Self.parsed(whole, authorizer, limits)
    }

    private static func parsed(
        _ request: ExplainedRequest, _ authorizer: AssumedAuthorizer, _ limits: HeadLimits
    ) -> (request: AuthorizationRequest?, fault: MessageFault?) {
        do {
            var request = AuthorizationRequest(head: try authorizer.head(of: request, limits))
            // As if asked through forward auth (a door), so that resources without an upstream are judged too.
            request.isAtDoor = true
            return (request, nil)
        } catch {
            return (nil, error.fault)
        }
    }

    /// Judges the request with an authorizer.
    func judged(by authorizer: AssumedAuthorizer) -> Observation {
        guard var request else { return Observation(fault: fault ?? .badRequest) }
        return Observation(authorizer.judge(&request, signedBy: signer, at: time), request)
    }

    /// The step that decides about the request, for messages: the first failed one, otherwise the last passed one. Nil
    /// if the test states no valid HTTP request.
    func decidingStep(_ authorizer: AssumedAuthorizer) -> Explanation.Step? {
        guard var request else { return nil }
        let steps = authorizer.explain(&request, signedBy: signer, at: time).steps
        return steps.first { $0.verdict == .failed } ?? steps.last { $0.verdict == .passed }
    }
}
