import Administration
import KeySetFetching
import KeySets
import OperatorConsole
import ProxySettings
import ReverseProxy
import TokenVerification
import TransportSecurity

// Conversions of the gateway's own data for the operators' page.

extension RuleTable {
    init(_ report: TrafficReport) {
        self.init(
            report.rules.map { rule in
                Row(
                    resource: rule.resource, rule: rule.rule, requests: rule.requests,
                    unauthorized: rule.refusals[401] ?? 0, forbidden: rule.refusals[403] ?? 0,
                    tooMany: rule.refusals[429] ?? 0, serverErrors: rule.serverErrors, percentile95: rule.percentile95,
                    observed: rule.observed, shadowed: rule.shadowed)
            })
    }
}

extension ReasonCount {
    init(_ reason: TrafficReport.Reason) {
        self.init(reason: reason.label, status: reason.status, count: reason.count)
    }
}

extension TrafficTotals {
    init(of gateway: Gateway) {
        let totals = gateway.totals
        self.init(
            requests: totals.requests, clientErrors: totals.clientErrors, serverErrors: totals.serverErrors,
            buckets: totals.durations)
    }
}

extension IssuerState {
    /// - Parameter signers: keys of all issuers that signed.
    init(_ issuer: Readiness.Issuer, signers: [CallerReport.Caller]) {
        self.init(
            name: issuer.name, isReady: issuer.hasKeys, keySets: issuer.keySets.map { KeySetState($0) },
            realms: issuer.realms?.places,
            signers: signers.filter { $0.issuer == issuer.name }.map { Signer(keyID: $0.name, count: $0.count) })
    }
}

extension KeySetState {
    fileprivate init(_ status: KeySetStatus) {
        self.init(
            source: status.source.description, isUsable: !status.isTooStale, keyCount: status.usableKeyCount,
            keyIDs: status.keyIDs, age: status.age, nextFetch: status.nextFetch,
            lastFailure: status.lastFailure?.description)
    }
}

extension ComingEvents.Event {
    /// Expiry of a certificate.
    init(_ identity: TLSIdentity) {
        self.init(
            .certificateExpires, name: identity.names.first,
            at: NumericDate(seconds: Double(identity.period.notAfter)))
    }

    /// Time from which the keys of a set are too old. Nil if the last attempt to fetch them succeeded, or if they are
    /// not used any more.
    init?(_ status: KeySetStatus, of issuer: String) {
        guard status.lastFailure != nil, !status.isTooStale, let last = status.lastSuccess,
            let limit = status.staleLimit
        else { return nil }
        self.init(.keySetUnusable, name: issuer, at: last + limit)
    }
}
