/// What becomes of a request before any upstream has a say.
public enum Verdict: Hashable, Sendable {
    /// It is forwarded, or answered with a document.
    case permitted
    /// The gateway answers itself.
    case answered(RejectionReason)
    /// It cannot be told without waiting or asking.
    case unknown

    /// The HTTP status; 200 also stands for a request that is forwarded.
    public var status: Int? {
        switch self {
        case .permitted: 200
        case .answered(let reason): reason.status
        case .unknown: nil
        }
    }

    /// The reason in logs and metrics; nil: it needs none.
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

    /// Of a policy alone, without a say of quotas and of limits on a client's verifications and on questions about
    /// keys: those have state.
    init(_ reason: RejectionReason, at stage: WalkStage) {
        if stage == .quotas {
            self = .permitted
        } else {
            self = reason == .gateway(.rateLimited) || reason == .gateway(.keyNotAsked) ? .unknown : .answered(reason)
        }
    }
}
