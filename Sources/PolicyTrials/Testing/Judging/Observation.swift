import AccessControl
import ConfigurationFile
import HTTPMessages
import RequestAuthorization
import TokenVerification

/// Outcome of one request.
struct Observation {
    var status = 200
    var reason: RejectionReason?
    /// Reason for which a request would be rejected that is forwarded because its rule is only observed.
    var would: RejectionReason?
    var challenge: BearerChallenge?
    var facts: AuthorizationFacts?
    /// The rule, as the configuration counts it.
    var rule: RuleIndex?
    /// Whether it is let through; by a proxy that asks at a door if it has no upstream.
    var isForwarded = false
    var upstream: UpstreamIndex?
    /// Forwarded part of the path, before the upstream's own path is prepended.
    var path: String?
    /// The lines that state the identity: names and values.
    var identity: [(name: String, value: String)] = []

    var resource: ResourceIndex? { facts?.resource }
    /// Whether it is let in, and not because its rule is only observed.
    var isPermitted: Bool { isForwarded && would == nil }
    /// Whether it was refused for its credentials, its token, or what that says; or would have been.
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

    /// Resource of a request, whatever its outcome is.
    static func resource(_ outcome: AuthorizationOutcome) -> ResourceIndex? {
        switch outcome {
        case .forward(_, let facts), .reject(_, let facts), .preflight(_, let facts), .publish(_, let facts),
            .wait(_, let facts):
            facts.resource
        }
    }

    /// Rule that matched the request, as the file has it. Nil if none did.
    func writtenRule(of configuration: Configuration) -> ConfiguredResource.WrittenRule? {
        rule.flatMap { rule in resource.flatMap { configuration.resources[$0]?.rules[rule] } }
    }

    private static func fields(_ lines: [UInt8]) -> [(name: String, value: String)] {
        String(decoding: lines, as: UTF8.self).split(separator: "\r\n").map { line in
            let name = line.prefix { $0 != ":" }
            return (String(name), String(line.dropFirst(name.count + 1).drop { $0 == " " }))
        }
    }

    /// The scopes that the challenge asks for.
    var scope: [String] { challenge?.scope?.split(separator: " ").map(String.init) ?? [] }
}
