import AccessControl
import HTTPMessages
import TokenVerification

/// The walk of one request, told step by step for a person: what was looked at, in order, and how it ended.
public struct Explanation: Sendable {
    public struct Step: Sendable, Hashable {
        public enum Verdict: String, Sendable, Hashable {
            case passed
            case failed
            /// Not looked at, because an earlier step decided.
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
    /// nil: the request is forwarded.
    public let rejection: Rejection?
    public let resource: String?
    public let rule: String?
    public let issuer: String?
    /// The upstream group, when the request is forwarded.
    public let upstream: UpstreamIndex?
    /// What goes on of the request's path, perhaps nothing; nil where the request is not forwarded.
    private let forwardedRest: String?
    /// The path of the upstream's URL, which goes before that; the upstreams are not known here.
    public var upstreamPath = ""
    /// What the upstream is told was taken off the path (`X-Forwarded-Prefix`); nil where nothing is.
    public private(set) var strippedPrefix: String?
    /// Fields that state the verified identity to the upstream.
    public let identityFields: [String]
    /// What the operator should know about a refusal that is usually a mistake.
    public let hint: String?
    /// What the gateway answers itself, when it is a document.
    public let published: PublishedDocument?
    /// What the gateway answers itself, when the request is a preflight.
    public private(set) var preflight: PreflightAnswer?
    /// What the request would be refused for if its rule were not only observed.
    public private(set) var would: RejectionReason?

    /// The status of gRPC that stands in the answer to a call of gRPC; nil for any other request, and for a call that
    /// is forwarded.
    public private(set) var grpcStatus: Int?

    /// Why Bearward answers itself; nil for a request that is forwarded, and for a document.
    public var reason: RejectionReason? { rejection?.reason ?? preflight.map { .preflight($0.verdict) } }

    /// The target's path as the upstream sees it, or as a proxy that asks at a door forwards it; nil where the request
    /// is not forwarded.
    public var forwardedPath: String? {
        forwardedRest.map { rest in upstreamPath.isEmpty && rest.isEmpty ? "/" : upstreamPath + rest }
    }

    public var isRefusal: Bool { rejection != nil || preflight?.verdict == .refused }

    /// The HTTP status that Bearward answers with; 200 also stands for a forwarded request.
    public var status: Int { reason?.status ?? 200 }
}

extension Explanation {
    /// The explanation of a request that is refused before anything is looked up.
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
