import AccessControl
import HTTPMessages
import JOSE
import KeySets
import StrictJSON
import TokenVerification

extension RequestAuthorizer {
    /// Returns the verdict of `authorize` on the request, with every step that led to it.
    ///
    /// The verdict itself comes from `authorize`; only the text is made here. A request that would have to wait is
    /// explained as if the wait had ended without an answer.
    public func explain(_ request: inout AuthorizationRequest, at now: NumericDate) -> Explanation {
        var outcome = authorize(&request, at: now)
        if case .wait(let wait, _) = outcome {
            switch wait {
            case .token(let wait): request.answer = wait.unavailable
            case .quotas: request.quotaAnswer = .unreachable
            }
            outcome = authorize(&request, at: now)
        }
        return explanation(of: outcome, request)
    }

    /// The steps that led to the verdict on the request.
    func explanation(
        of outcome: AuthorizationOutcome, _ request: AuthorizationRequest, isSignatureAssumed assumed: Bool = false
    ) -> Explanation {
        switch outcome {
        case .forward(let forwarding, let facts):
            let walk = ExplainedWalk(self, request, facts, failed: facts.would, isSignatureAssumed: assumed)
            let steps = walk.steps + walk.observedSteps
            return Explanation(steps: steps, forwarding: forwarding, facts: facts, authorizer: self, request: request)
        case .reject(let rejection, let facts):
            let steps = ExplainedWalk(self, request, facts, failed: rejection.reason, isSignatureAssumed: assumed).steps
            return Explanation(steps: steps, rejection: rejection, facts: facts, authorizer: self, request: request)
        case .preflight(let answer, let facts) where facts.resource == nil:
            return Explanation(preflightOfDocument: answer)
        case .preflight(let answer, let facts):
            let steps = ExplainedWalk(self, request, facts, preflight: answer).steps
            return Explanation(steps: steps, preflight: answer, facts: facts, authorizer: self, request: request)
        case .publish(let document, _): return Explanation(publishing: document)
        case .wait(_, let facts):
            let steps = ExplainedWalk(self, request, facts, failed: .gateway(.keysUnavailable)).steps
            return Explanation(
                steps: steps, rejection: Rejection(.gateway(.keysUnavailable)), facts: facts, authorizer: self,
                request: request)
        }
    }

    /// Location of the token in a request with this head: the first of its resource. `Authorization` if no resource is
    /// found.
    public func tokenPlace(of head: RequestHead) -> TokenPlace { tokenPlaces(of: head).first ?? .authorization }

    /// Locations where a request with this head may have its token. `Authorization` if no resource is found.
    func tokenPlaces(of head: RequestHead) -> [TokenPlace] { resource(of: head)?.tokenPlaces ?? [.authorization] }

    /// Resource of a request with this head, whatever its rule. Nil if no resource is found.
    func resource(of head: RequestHead) -> ProtectedResource? {
        var request = AuthorizationRequest(head: head)
        let path = head.bytes.span.extracting(head.target.path)
        guard (try? request.path.canonicalize(path, encodedSlashes: encodedSlashes)) != nil else { return nil }
        return place(of: request)?.compiled.resource
    }

    /// Location of the token in a request, as far as its walk has come. `Authorization` before its resource is known.
    func tokenPlace(of head: borrowing RequestHead, _ facts: AuthorizationFacts) -> TokenPlace {
        facts.resource.flatMap { compiled[$0] }?.tokenPlace(of: head) ?? .authorization
    }

    /// The pattern of the matched rule, as it is written. Nil before a rule was found.
    public func ruleName(_ facts: AuthorizationFacts) -> String? {
        guard let resource = facts.resource, let rule = facts.rule else { return nil }
        return resources[resource]?.routes.routes[rule]?.description
    }

    /// Returns the verdict of ``authorize(_:assuming:at:)``, with every step that led to it.
    public func explain(_ request: inout AuthorizationRequest, assuming signer: AssumedSigner, at now: NumericDate)
        -> Explanation
    {
        let outcome = authorize(&request, assuming: signer, at: now)
        return explanation(of: outcome, request, isSignatureAssumed: true)
    }
}
