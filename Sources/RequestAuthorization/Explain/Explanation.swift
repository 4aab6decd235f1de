import AccessControl
import HTTPMessages
import TokenVerification

/// The checks of one request as text for people: each step in order, and the outcome.
public struct Explanation: Sendable {
    public struct Step: Sendable, Hashable {
        public enum Verdict: String, Sendable, Hashable {
            case passed
            case failed
            /// Not checked, because an earlier step decided.
            case notReached = "not_reached"
        }

        public let name: String
        public let verdict: Verdict
        public let detail: String

        public init(_ name: String, _ verdict: Verdict, _ detail: String) {
            self.name = name
            self.verdict = verdict
            self.detail = detail
        }
    }

    public let steps: [Step]
    /// Nil if the request is forwarded.
    public let rejection: Rejection?
    public let resource: String?
    public let rule: String?
    public let issuer: String?
    /// The upstream group of a forwarded request. Nil if the request is not forwarded, or if the proxy at a door
    /// forwards it.
    public let upstream: UpstreamIndex?
    /// The part of the request's path that is forwarded; may be empty. Nil if the request is not forwarded.
    private let forwardedRest: String?
    /// Path of the upstream's URL, which is put before the forwarded path. The caller sets it, since upstreams are not
    /// known here.
    public var upstreamPath = ""
    /// The path prefix that was stripped, as the upstream gets it (`X-Forwarded-Prefix`). Nil if none was.
    public private(set) var strippedPrefix: String?
    /// Fields that state the verified identity to the upstream.
    public let identityFields: [String]
    /// Hint for the operator about a rejection that is usually a mistake. Nil if no usual mistake is recognized.
    public let hint: String?
    /// The metadata document that the gateway answers with. Nil for any other outcome.
    public let published: PublishedDocument?
    /// The preflight response that the gateway answers with. Nil for any other outcome.
    public private(set) var preflight: PreflightAnswer?
    /// The reason for which the rule would reject the request if it were enforced, not only observed. Nil if it would
    /// not, or is enforced.
    public private(set) var would: RejectionReason?

    /// The gRPC status in the answer to a gRPC call. Nil for any other request, and for a call that is forwarded.
    public private(set) var grpcStatus: Int?

    /// Reason why Bearward answers itself. Nil for a forwarded request and for a document.
    public var reason: RejectionReason? { rejection?.reason ?? preflight.map { .preflight($0.verdict) } }

    /// The target's path as the upstream sees it, or as the forward auth proxy forwards it. Nil if the request is not
    /// forwarded.
    public var forwardedPath: String? {
        forwardedRest.map { rest in upstreamPath.isEmpty && rest.isEmpty ? "/" : upstreamPath + rest }
    }

    public var isRefusal: Bool { rejection != nil || preflight?.verdict == .refused }

    /// HTTP status of Bearward's answer; 200 also for a forwarded request.
    public var status: Int { reason?.status ?? 200 }
}

extension Explanation {
    /// Creates the explanation of a request that is rejected before anything is looked up.
    public init(refused reason: RejectionReason, because detail: String) {
        steps = [Step("request", .failed, detail)]
        rejection = Rejection(reason)
        (resource, rule, issuer, upstream, forwardedRest, identityFields, hint, published) = (
            nil, nil, nil, nil, nil, [], nil, nil
        )
    }

    init(publishing document: PublishedDocument) {
        steps = [Step("metadata", .passed, "the resource describes itself here (RFC 9728): answered without a token")]
        (rejection, resource, rule, issuer, upstream, forwardedRest, identityFields, hint) = (
            nil, nil, nil, nil, nil, nil, [], nil
        )
        published = document
    }

    init(preflightOfDocument answer: PreflightAnswer) {
        steps = [
            Step(
                "metadata", .passed, "the resource describes itself here (RFC 9728): pages of every origin may read it")
        ]
        (rejection, resource, rule, issuer, upstream, forwardedRest, identityFields, hint) = (
            nil, nil, nil, nil, nil, nil, [], nil
        )
        published = nil
        preflight = answer
    }

    init(
        steps: [Step], rejection: Rejection?, facts: AuthorizationFacts, authorizer: RequestAuthorizer,
        request: AuthorizationRequest
    ) {
        self.steps = steps
        self.rejection = rejection
        resource = facts.resource.flatMap { authorizer.resources[$0]?.identifier }
        rule = authorizer.ruleName(facts)
        issuer = authorizer.rules(of: facts.issuer)?.name
        hint = facts.hint
        (upstream, forwardedRest, identityFields, published) = (nil, nil, [], nil)
        if request.head.isGRPC { grpcStatus = rejection?.reason.grpcStatus }
    }

    init(
        steps: [Step], preflight: PreflightAnswer, facts: AuthorizationFacts, authorizer: RequestAuthorizer,
        request: AuthorizationRequest
    ) {
        self.init(steps: steps, rejection: nil, facts: facts, authorizer: authorizer, request: request)
        self.preflight = preflight
    }

    init(
        steps: [Step], forwarding: Forwarding, facts: AuthorizationFacts, authorizer: RequestAuthorizer,
        request: AuthorizationRequest
    ) {
        self.steps = steps
        rejection = nil
        resource = facts.resource.flatMap { authorizer.resources[$0]?.identifier }
        rule = authorizer.ruleName(facts)
        issuer = authorizer.rules(of: facts.issuer)?.name
        upstream = forwarding.upstream
        forwardedRest = String(decoding: request.path.canonical.dropFirst(forwarding.pathStart), as: UTF8.self)
        strippedPrefix = forwarding.strippedPrefix.map { String(decoding: $0, as: UTF8.self) }
        (hint, published) = (facts.would == nil ? nil : facts.hint, nil)
        would = facts.would
        identityFields = String(decoding: forwarding.identityFields, as: UTF8.self).split(separator: "\r\n").map(
            String.init)
    }
}
