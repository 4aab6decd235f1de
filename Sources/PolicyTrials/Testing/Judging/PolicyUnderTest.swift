import AccessControl
import AssumedTokens
import ConfigurationFile
import HTTPMessages
import ProxySettings
import RequestAuthorization
import TokenVerification

/// Parts of a configuration by which requests are judged.
struct PolicyUnderTest {
    var resources: IndexedBy<ResourceIndex, ProtectedResource>
    var issuers: IndexedBy<IssuerIndex, TrustedIssuer>

    init(_ configuration: Configuration) {
        resources = configuration.protectedResources
        issuers = configuration.issuers.mapped(\.trusted)
    }

    /// - Throws: if two resources are at the same place, which no configuration has.
    func authorizer() throws(PlaceConflict) -> AssumedAuthorizer {
        try AssumedAuthorizer(resources: resources, issuers: issuers)
    }
}

/// A test as it is judged: its request, ready to be judged by any policy.
struct PreparedTest {
    let stated: StatedTest
    let time: NumericDate
    let signer: AssumedAuthorizer.Signer
    /// The request, or the fault for which the statement is no HTTP request. One of the two is nil.
    let request: AuthorizationRequest?
    let fault: MessageFault?
    /// Claims of the token about its issuer and audience, verified or not.
    let claims: ClaimsSet?

    init(
        _ test: StatedTest, _ tokens: TestTokens, _ authorizer: AssumedAuthorizer, limits: HeadLimits, now: NumericDate
    ) {
        stated = test
        let time = test.time ?? now
        self.time = time
        let bare = Self.parsed(test.request, authorizer, limits)
        // Where the request goes is known before its token is; that says which audience the token is for.
        let resource = bare.request.flatMap { request in
            var request = request
            return Observation.resource(authorizer.judge(&request, signedBy: .named, at: time))
        }
        let (token, signer) = tokens.token(of: test, for: resource, at: time)
        self.signer = signer
        claims = token.flatMap { UnverifiedToken.claims(of: Array($0.utf8).span) }
        let whole = ExplainedRequest(
            method: test.request.method, url: test.request.url, token: token, fields: test.request.fields)
        (request, fault) = token == nil ? bare : Self.parsed(whole, authorizer, limits)
    }

    private static func parsed(
        _ request: ExplainedRequest, _ authorizer: AssumedAuthorizer, _ limits: HeadLimits
    ) -> (request: AuthorizationRequest?, fault: MessageFault?) {
        do {
            var request = AuthorizationRequest(head: try authorizer.head(of: request, limits))
            // A resource without an upstream has a policy too.
            request.isAtDoor = true
            return (request, nil)
        } catch {
            return (nil, error.fault)
        }
    }

    /// Judges the request.
    func judged(by authorizer: AssumedAuthorizer) -> Observation {
        guard var request else { return Observation(fault: fault ?? .badRequest) }
        return Observation(authorizer.judge(&request, signedBy: signer, at: time), request)
    }

    /// The step that decides, for a person.
    func decidingStep(_ authorizer: AssumedAuthorizer) -> Explanation.Step? {
        guard var request else { return nil }
        let steps = authorizer.explain(&request, signedBy: signer, at: time).steps
        return steps.first { $0.verdict == .failed } ?? steps.last { $0.verdict == .passed }
    }
}
