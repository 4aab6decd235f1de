import AccessControl
import ConfigurationFile
import HTTPMessages
import RequestAuthorization
import TokenVerification

/// Outcome of one judged request.
struct Observation {
    var status = 200
    var reason: RejectionReason?
    /// Reason for which an enforced rule would reject the request. Nil if its rule is not only observed, or permits it.
    var would: RejectionReason?
    var challenge: BearerChallenge?
    var facts: AuthorizationFacts?
    /// Index of the rule that matched, as in the unchanged configuration. Nil if none matched, or the request was
    /// answered before.
    var rule: RuleIndex?
    /// Whether the request is forwarded. If its resource has no upstream, the proxy that uses forward auth (a door)
    /// forwards it.
    var isForwarded = false
    var upstream: UpstreamIndex?
    /// The forwarded path, before the upstream's own path is prepended. Nil if the request is not forwarded.
    var path: String?
    /// Names and values of the identity fields.
    var identity: [(name: String, value: String)] = []

    var resource: ResourceIndex? { facts?.resource }
    /// Whether the request is forwarded because its rule permits it, not only because the rule is observed.
    var isPermitted: Bool { isForwarded && would == nil }
    /// Whether the request was refused because its resource or rule is in maintenance.
    var isInMaintenance: Bool { reason == .routing(.maintenance) }
    /// Whether the request was refused, or would have been, for its credentials, its token or the token's claims.
    var isRefused: Bool {
        switch reason ?? would {
        case .credentials, .token, .policy: true
        case .routing, .gateway, .upstream, .message, .door, .preflight, nil: false
        }
    }

    init(fault: MessageFault) {
        reason = .message(fault)
        status = fault.status.rawValue
    }

    init(_ outcome: AuthorizationOutcome, _ request: AuthorizationRequest) {
        switch outcome {
        case .forward(let forwarding, let facts):
            self.facts = facts
            isForwarded = true
            upstream = forwarding.upstream
            would = facts.would
            let path = String(decoding: request.path.canonical.dropFirst(forwarding.pathStart), as: UTF8.self)
            self.path = path.isEmpty ? "/" : path
            identity = Self.fields(forwarding.identityFields)
        case .reject(let rejection, let facts):
            self.facts = facts
            (reason, challenge) = (rejection.reason, rejection.challenge)
        case .preflight(let answer, let facts):
            self.facts = facts
            reason = .preflight(answer.verdict)
        case .publish(_, let facts): self.facts = facts
        // Nothing is fetched or counted here, so there is nothing to wait for.
        case .wait(let wait, let facts):
            self.facts = facts
            reason = wait.unavailableReason
        }
        status = reason?.status ?? 200
        rule = facts?.rule
    }

    /// Resource that a request matched, regardless of the outcome. Nil if none matched, or the request was answered
    /// before.
    static func resource(_ outcome: AuthorizationOutcome) -> ResourceIndex? {
        switch outcome {
        case .forward(_, let facts), .reject(_, let facts), .preflight(_, let facts), .publish(_, let facts),
            .wait(_, let facts):
            facts.resource
        }
    }

    /// The rule that matched, with its name and line in the file. Nil if none did.
    func writtenRule(of configuration: Configuration) -> ConfiguredResource.WrittenRule? {
        rule.flatMap { rule in resource.flatMap { configuration.resources[$0]?.rules[rule] } }
    }

    private static func fields(_ lines: [UInt8]) -> [(name: String, value: String)] {
        String(decoding: lines, as: UTF8.self).split(separator: "\r\n").map { line in
            let name = line.prefix { $0 != ":" }
            return (String(name), String(line.dropFirst(name.count + 1).drop { $0 == " " }))
        }
    }

    /// Scopes that the challenge asks for.
    var scope: [String] { challenge?.scope?.split(separator: " ").map(String.init) ?? [] }
}
