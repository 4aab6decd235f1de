import AccessControl
import ConfigurationFile
import HTTPMessages
import ProxySettings
import RequestAuthorization
import TokenVerification

/// The judgement of a request: whether it is forwarded, and how the upstream sees it.
struct JudgedRequest {
    private(set) var reason: RejectionReason?
    /// Reason for which it would be rejected if its rule were not only observed.
    private(set) var would: RejectionReason?
    private(set) var resource: ResourceIndex?
    private(set) var rule: RuleIndex?
    /// The request as the upstream sees it. Nil if it is not forwarded.
    private(set) var forwarded: Forwarded?

    /// A request as an upstream sees it.
    struct Forwarded: Hashable {
        /// The URLs of the targets, sorted; empty where a proxy that asks at a door forwards it.
        let upstream: [String]
        /// `Host`, where it is not the client's.
        let host: String?
        /// Before the upstream's own path is put in front.
        let path: String
        /// Whether the token is forwarded, and in which field.
        let authorization: String
        /// The fields that state the identity, by their names in lower case.
        let identity: [String: String]
    }

    init(fault: MessageFault) {
        reason = .message(fault)
    }

    init(_ outcome: AuthorizationOutcome, _ request: AuthorizationRequest, _ configuration: Configuration) {
        let facts: AuthorizationFacts
        switch outcome {
        case .forward(let forwarding, let known):
            facts = known
            forwarded = Forwarded(forwarding, request, forwarding.upstream.flatMap { configuration.upstreams[$0] })
        case .reject(let rejection, let known): (reason, facts) = (rejection.reason, known)
        case .preflight(let answer, let known): (reason, facts) = (.preflight(answer.verdict), known)
        case .publish(_, let known): facts = known
        // Nothing is fetched or counted here, so there is nothing to wait for.
        case .wait(let wait, let known): (reason, facts) = (wait.unavailableReason, known)
        }
        (resource, rule, would) = (facts.resource, facts.rule, facts.would)
    }

    var isForwarded: Bool { forwarded != nil }

    /// True unless something else decided than what issuers and rules ask of tokens.
    var isByTests: Bool { !isClosed && reason != .policy(.identityTooLarge) }

    /// Whether no token would change that it is refused.
    var isClosed: Bool {
        switch reason {
        case .routing, .message, .door, .preflight: true
        case .credentials, .token, .policy, .gateway, .upstream: false
        // A document of the gateway's own is published there.
        case nil: !isForwarded
        }
    }
}

extension JudgedRequest.Forwarded {
    init(_ forwarding: Forwarding, _ request: AuthorizationRequest, _ upstream: UpstreamGroup?) {
        self.upstream = (upstream?.addresses ?? []).sorted()
        host = upstream?.hostOverride
        let rest = String(decoding: request.path.canonical.dropFirst(forwarding.pathStart), as: UTF8.self)
        path = rest.isEmpty ? "/" : rest
        authorization =
            if forwarding.keepsAuthorization {
                "Authorization"
            } else {
                forwarding.tokenField.map { Self.name(ofLine: $0) } ?? "none"
            }
        let lines = String(decoding: forwarding.identityFields, as: UTF8.self).split(separator: "\r\n")
        let fields = lines.map { line in
            let name = line.prefix { $0 != ":" }
            return (name.lowercased(), String(line.dropFirst(name.count + 1).drop { $0 == " " }))
        }
        identity = Dictionary(fields, uniquingKeysWith: { first, _ in first })
    }

    private static func name(ofLine line: [UInt8]) -> String {
        String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    }
}
