/// Outcome of a request at the gateway, before any upstream is involved.
public enum Verdict: Hashable, Sendable {
    /// The request is forwarded, or answered with a document.
    case permitted
    /// The gateway answers the request itself.
    case answered(RejectionReason)
    /// The outcome is unknown without waiting or asking an issuer.
    case unknown

    /// HTTP status of the outcome: 200 for a forwarded request. Nil if unknown.
    public var status: Int? {
        switch self {
        case .permitted: 200
        case .answered(let reason): reason.status
        case .unknown: nil
        }
    }

    /// Reason in logs and metrics. Nil for a permitted request.
    public var label: String? {
        switch self {
        case .permitted: nil
        case .answered(let reason): reason.label
        case .unknown: "unknown"
        }
    }
}

extension Verdict {
    init(_ answer: WalkAnswer) {
        self =
            if case .preflight(let preflight) = answer { .answered(.preflight(preflight.verdict)) } else { .permitted }
    }

    init(_ interruption: Interruption, at stage: WalkStage) {
        switch interruption {
        case .reject(let rejection): self.init(rejection.reason, at: stage)
        case .wait: self = .unknown
        }
    }

    /// Verdict of the policy alone. Quotas, limits on a client's verifications and limits on key fetches are ignored,
    /// because they depend on state.
    init(_ reason: RejectionReason, at stage: WalkStage) {
        if stage == .quotas {
            self = .permitted
        } else {
            self = reason == .gateway(.rateLimited) || reason == .gateway(.keyNotAsked) ? .unknown : .answered(reason)
        }
    }
}
