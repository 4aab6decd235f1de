import AccessControl
import Callers
import KnownTokens
import Quotas
import TokenVerification

extension RequestWalk {
    /// Charges a permitted request to the quotas of its rule: to all of them, or to none.
    ///
    /// This is the last step. So a request that is refused for another reason is not charged, and a forged token cannot
    /// be charged to its alleged owner.
    @inline(__always)
    mutating func charge(_ rule: RuleInForce, for caller: Caller, _ request: inout AuthorizationRequest)
        throws(Interruption)
    {
        guard let quotas = rule.compiled.quotas[rule.match.ruleIndex] ?? nil else { return }
        try charge(quotas, for: caller, &request)
    }

    mutating func charge(_ quotas: RuleQuotas, for caller: Caller, _ request: inout AuthorizationRequest)
        throws(Interruption)
    {
        facts.stage = .quotas
        guard let counting = request.counting else { return }
        guard !counting.hasAddress else { return try charge(quotas, for: caller, &request, counting) }
        guard let known = withoutAddress(quotas, for: caller, request) else { return }
        try charge(known, for: caller, &request, counting)
    }

    @inline(__always)
    private mutating func charge(
        _ quotas: RuleQuotas, for caller: Caller, _ request: inout AuthorizationRequest, _ counting: RequestCounting
    ) throws(Interruption) {
        if let quota = quotas.only, let table = authorizer.localQuotas {
            let (charge, plan) = charge(quota, of: caller, request, counting)
            return try settle(table.charge(charge, at: counting.now), [charge], [plan], quotas, &request)
        }
        var charges: [QuotaCharge] = []
        var plans: [Int] = []
        for quota in quotas.all {
            let (charge, plan) = charge(quota, of: caller, request, counting)
            charges.append(charge)
            plans.append(plan)
        }
        guard let verdict = try verdict(on: charges, quotas.all, request, at: counting.now) else { return }
        try settle(verdict, charges, plans, quotas, &request)
    }

    /// The quotas whose caller is identified by something other than an address. Nil if there are none.
    private func withoutAddress(
        _ quotas: RuleQuotas, for caller: Caller, _ request: borrowing AuthorizationRequest
    ) -> RuleQuotas? {
        var known: [RuleQuota] = []
        for quota in quotas.all where quota.knowsCaller({ answer($0, of: caller, request) }) { known.append(quota) }
        return RuleQuotas(known)
    }

    // Inlined: if a function that mutates the walk calls it, the compiler copies the walk and the request.
    @inline(__always)
    private func charge(
        _ quota: RuleQuota, of caller: Caller, _ request: borrowing AuthorizationRequest, _ counting: RequestCounting
    ) -> (charge: QuotaCharge, plan: Int) {
        quota.charge(
            { answer($0, of: caller, request) },
            address: { authorizer.callers.address(high: counting.high, low: counting.low) })
    }

    /// Applies the quota verdict to the request and its response.
    private mutating func settle(
        _ verdict: QuotaVerdict, _ charges: @autoclosure () -> [QuotaCharge], _ plans: @autoclosure () -> [Int],
        _ quotas: RuleQuotas,
        _ request: inout AuthorizationRequest
    ) throws(Interruption) {
        if case .granted(let standing) = verdict, !standing.isLow { return }
        let (charges, plans, quotas) = (charges(), plans(), quotas.all)
        let index =
            switch verdict {
            case .granted(let standing), .exceeded(let standing): standing.charge
            case .full, .unavailable: 0
            }
        // The store's reply is not trusted.
        guard charges.indices.contains(index), quotas.indices.contains(index) else {
            throw .reject(Rejection(.gateway(.quotaUnavailable), retryAfter: .seconds(1)))
        }
        let partition = charges[index].account.high
        switch verdict {
        case .granted(let standing):
            request.rateLimit = RateLimitFields(quotas[index], plan: plans[index], standing, partition: partition)
        case .exceeded(let standing):
            request.rateLimit = RateLimitFields(quotas[index], plan: plans[index], standing, partition: partition)
            throw .reject(Rejection(.gateway(.quotaExceeded), retryAfter: standing.wait))
        case .full: throw .reject(Rejection(.gateway(.overloaded), retryAfter: .seconds(1)))
        case .unavailable: throw .reject(Rejection(.gateway(.quotaUnavailable), retryAfter: .seconds(1)))
        }
    }

    /// Answer to a question about the caller, by the question's index.
    @inline(__always)
    func answer(_ question: Int, of caller: Caller, _ request: borrowing AuthorizationRequest) -> CallerAnswer {
        switch caller {
        case .nobody: return .none
        case .known: return request.record.callerAnswer(question)
        case .token(let token):
            let questions = authorizer.callers.questions
            return questions.indices.contains(question)
                ? authorizer.callers.answer(questions[question], for: token) : .none
        }
    }

    /// Verdict of the local table or the shared store. Nil if requests are not counted.
    private func verdict(
        on charges: [QuotaCharge], _ quotas: [RuleQuota], _ request: borrowing AuthorizationRequest, at now: Int64
    ) throws(Interruption) -> QuotaVerdict? {
        switch authorizer.accounting {
        case .none: return nil
        case .local(let table): return table.charge(charges, at: now)
        case .shared(let table, let processes):
            switch request.quotaAnswer {
            case nil: throw .wait(.quotas(QuotaWait(charges: charges)))
            case .verdict(let verdict)?: return verdict
            case .unreachable?:
                guard quotas.allSatisfy({ $0.quota.whenUnreachable == .local }) else { return .unavailable }
                return table.charge(charges.map { QuotaCharge($0.account, $0.rate.part(of: processes)) }, at: now)
            }
        }
    }
}
