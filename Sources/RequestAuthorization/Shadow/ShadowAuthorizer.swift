import AccessControl
import TokenVerification

/// What another configuration makes of the requests that one judges: beside it, and without a say.
///
/// It counts nobody, asks nobody and waits for nothing; what it remembers of tokens is its own.
public final class ShadowAuthorizer: Sendable {
    private let authorizer: RequestAuthorizer
    private let agreement: PolicyAgreement
    /// Whether denials that are added while the gateway runs would be in force there too.
    private let takesDenials: Bool
    /// Whether a path has the same form in both configurations, and a token the same digest.
    private let readsAlike: Bool

    /// - Parameters:
    ///   - authorizer: of the other configuration; without quotas.
    ///   - current: of the configuration in force, whose verdicts it is compared with.
    ///   - introspectionAgrees: whether two issuers, the first of `current`, are asked about opaque tokens in the same
    ///     way.
    ///   - takesDenials: whether the other configuration would refuse tokens that are denied on the admin listener.
    public init(
        _ authorizer: RequestAuthorizer, beside current: RequestAuthorizer,
        introspectionAgrees: @escaping (IssuerIndex, IssuerIndex) -> Bool, takesDenials: Bool = false
    ) {
        self.authorizer = authorizer
        self.takesDenials = takesDenials
        readsAlike = authorizer.encodedSlashes == current.encodedSlashes && authorizer.digestKey === current.digestKey
        agreement = PolicyAgreement(of: current, with: authorizer, introspectionAgrees: introspectionAgrees)
    }

    /// What the comparison says of a request.
    public enum Comparison: Sendable, Hashable {
        case same
        case different(Verdict)
        /// What would become of it cannot be told.
        case unknown
    }

    /// Whether the verdict is the same, whatever the token: both configurations say the same about the request's rule.
    func agrees(on route: RequestRoute?, _ path: borrowing RequestPath) -> Bool {
        guard let route, agreement.covers(route) else { return false }
        // A document of the other's may be there; those paths alone begin so.
        return !authorizer.mayPublish(at: path)
    }

    /// Compares the verdict in force with this one.
    ///
    /// - Parameters:
    ///   - reason: why the request is refused, or answered otherwise, in force; nil: it is forwarded.
    ///   - stage: the one that decided in force.
    ///   - route: where the request belongs in force.
    ///   - request: after its verdict, and it stays as that has left it.
    public func compare(
        _ reason: RejectionReason?, at stage: WalkStage, _ route: RequestRoute?, _ request: inout AuthorizationRequest,
        using scratch: inout ShadowScratch, at now: NumericDate
    ) -> Comparison {
        if agrees(on: route, request.path) { return .same }
        return judge(reason, at: stage, route, &request, using: &scratch, at: now)
    }

    /// The same by a walk through all checks, whether the other says the same about the rule or not.
    func judge(
        _ reason: RejectionReason?, at stage: WalkStage, _ route: RequestRoute?, _ request: inout AuthorizationRequest,
        using scratch: inout ShadowScratch, at now: NumericDate
    ) -> Comparison {
        let own = reason.map { Verdict($0, at: stage) } ?? .permitted
        // A client that has to wait has its token judged by nobody.
        guard own != .unknown else { return .unknown }
        // A list in force may have been added to since the other's was read.
        if own == .answered(.token(.denied)), takesDenials { return .unknown }
        let verdict = judge(
            &request, at: twin(of: route), using: &scratch, isRead: readsAlike && stage != .path, at: now)
        guard verdict != .unknown else { return .unknown }
        return verdict == own ? .same : .different(verdict)
    }

    /// Where the request belongs here; nil: that is to be found.
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
