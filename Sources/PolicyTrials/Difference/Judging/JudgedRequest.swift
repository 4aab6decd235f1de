import AccessControl
import ConfigurationFile
import HTTPMessages
import ProxySettings
import RequestAuthorization
import TokenVerification

/// The verdict of one configuration on a request: whether it is forwarded, and how the upstream sees it.
struct JudgedRequest {
    private(set) var reason: RejectionReason?
    /// Reason for which an enforced rule would reject the request. Nil if its rule is not only observed, or permits it.
    private(set) var would: RejectionReason?
    private(set) var resource: ResourceIndex?
    private(set) var rule: RuleIndex?
    /// The request as the upstream sees it. Nil if it is not forwarded.
    private(set) var forwarded: Forwarded?

    /// A request as an upstream sees it.
    struct Forwarded: Hashable {
        /// URLs of the targets, sorted. Empty if a proxy that uses forward auth (a door) forwards the request.
        let upstream: [String]
        /// Value of `Host`. Nil if the client's is forwarded.
        let host: String?
        /// The path, before the upstream's own path is prepended.
        let path: String
        /// Name of the header field that forwards the token, or the client's own `Authorization`, or `none`.
        let authorization: String
        /// Values of the identity fields, by their names in lower case.
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

    /// True if only the requirements of issuers and rules on tokens decided. False after a rejection for the route, the
    /// request head or a too large identity.
    var isByTests: Bool { !isClosed && reason != .policy(.identityTooLarge) }

    /// Whether the request is not forwarded regardless of its token.
    var isClosed: Bool {
        switch reason {
        case .routing, .message, .door, .preflight: true
        case .credentials, .token, .policy, .gateway, .upstream: false
        // The gateway itself answers with a metadata document.
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
