import AccessControl
import TokenVerification

extension RequestWalk {
    /// Refuses a request whose resource or rule is in maintenance.
    ///
    /// It comes before credentials: the answer is the same for everyone, and no token is verified for it. It comes
    /// before the refusal of a request without a rule, which a resource that is only observed would forward.
    @inline(__always)
    mutating func judgeMaintenance(of compiled: CompiledResource, _ rule: RuleIndex?) throws(Interruption) {
        guard compiled.hasMaintenance, let maintenance = compiled.resource.maintenance(of: rule, at: now) else {
            return
        }
        facts.stage = .maintenance
        throw .reject(Rejection(.routing(.maintenance), retryAfter: maintenance.retryAfter))
    }
}
