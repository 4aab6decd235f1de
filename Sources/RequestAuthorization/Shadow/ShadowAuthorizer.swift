import AccessControl
import TokenVerification

/// Judges requests by another configuration, beside the running one and without effect on them.
///
/// It charges no quotas, asks no issuer and waits for nothing. Its token cache is separate.
public final class ShadowAuthorizer: Sendable {
    private let authorizer: RequestAuthorizer
    private let agreement: PolicyAgreement
    /// True if tokens denied while the gateway runs would also be denied under the other configuration.
    private let takesDenials: Bool
    /// True if both configurations give a path the same canonical form and a token the same digest.
    private let readsAlike: Bool

    /// - Parameters:
    ///   - authorizer: the authorizer of the other configuration, without quotas.
    ///   - current: the authorizer of the running configuration, whose verdicts are compared.
    ///   - introspectionAgrees: returns true if two issuers are asked about opaque tokens in the same way; the first is
    ///     of `current`.
    ///   - takesDenials: true if the other configuration would reject tokens that are denied on the admin listener.
    public init(
        _ authorizer: RequestAuthorizer, beside current: RequestAuthorizer,
        introspectionAgrees: @escaping (IssuerIndex, IssuerIndex) -> Bool, takesDenials: Bool = false
    ) {
        self.authorizer = authorizer
        self.takesDenials = takesDenials
        readsAlike = authorizer.encodedSlashes == current.encodedSlashes && authorizer.digestKey === current.digestKey
        agreement = PolicyAgreement(of: current, with: authorizer, introspectionAgrees: introspectionAgrees)
    }

    /// Result of comparing the verdicts on a request.
    public enum Comparison: Sendable, Hashable {
        case same
        case different(Verdict)
        /// The other verdict cannot be determined.
        case unknown
    }

    /// True if the verdict is the same for every token, because both configurations have an equivalent rule for the
    /// request.
    func agrees(on route: RequestRoute?, _ path: borrowing RequestPath) -> Bool {
        guard let route, agreement.covers(route) else { return false }
        // The other configuration may have a metadata document there; only document paths begin like this.
        return !authorizer.mayPublish(at: path)
    }

    /// Compares the running configuration's verdict with this one.
    ///
    /// - Parameters:
    ///   - reason: the reason why the running configuration rejected or answered the request. Nil if it was forwarded.
    ///   - stage: the stage that decided in the running configuration.
    ///   - route: the resource and rule of the request in the running configuration.
    ///   - request: the request after its verdict; it is left unchanged.
    public func compare(
        _ reason: RejectionReason?, at stage: WalkStage, _ route: RequestRoute?, _ request: inout AuthorizationRequest,
        using scratch: inout ShadowScratch, at now: NumericDate
    ) -> Comparison {
        if agrees(on: route, request.path) { return .same }
        return judge(reason, at: stage, route, &request, using: &scratch, at: now)
    }

    /// Compares the verdicts by a walk through all checks, even if the rules are known to agree.
    func judge(
        _ reason: RejectionReason?, at stage: WalkStage, _ route: RequestRoute?, _ request: inout AuthorizationRequest,
        using scratch: inout ShadowScratch, at now: NumericDate
    ) -> Comparison {
        let own = reason.map { Verdict($0, at: stage) } ?? .permitted
        // The token of a client that has to wait is not judged.
        guard own != .unknown else { return .unknown }
        // The running deny list may have new entries since the other configuration was read.
        if own == .answered(.token(.denied)), takesDenials { return .unknown }
        let verdict = judge(
            &request, at: twin(of: route), using: &scratch, isRead: readsAlike && stage != .path, at: now)
        guard verdict != .unknown else { return .unknown }
        return verdict == own ? .same : .different(verdict)
    }

    /// Route of the request in the other configuration. Nil if it must be looked up.
    func twin(of route: RequestRoute?) -> RequestRoute? { route.flatMap(agreement.twin) }

    private func judge(
        _ request: inout AuthorizationRequest, at route: RequestRoute?, using scratch: inout ShadowScratch,
        isRead: Bool,
        at now: NumericDate
    ) -> Verdict {
        scratch.exchange(with: &request, sharesPath: isRead)
        request.wasRead = isRead
        let verdict = authorizer.verdict(on: &request, along: route, at: now)
        request.wasRead = false
        scratch.exchange(with: &request, sharesPath: isRead)
        return verdict
    }

    public func forgetKnownTokens() { authorizer.forgetKnownTokens() }
}
