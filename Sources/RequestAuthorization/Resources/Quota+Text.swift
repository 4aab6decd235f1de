import Callers
import Quotas
import TokenVerification

extension Quota {
    /// Rates of the quota, and the attribute that it counts by, as text for people.
    var text: String {
        let rates = plans.map { plans in
            zip(plans.values, plans.rates).map { "\($1.text) where \(plans.claim) is \($0), " }.joined()
                + "else \(rate.text)"
        }
        return "\(name): \(rates ?? rate.text), for each \(subject.text)"
    }
}

extension Quota.Subject {
    fileprivate var text: String {
        switch self {
        case .attribute(.subject): "subject"
        case .attribute(.client): "client"
        case .attribute(.tenant): "tenant"
        case .attribute(.organization): "organization"
        case .attribute(.claim(let path)): "value of \(path.description)"
        case .address: "address"
        }
    }
}

extension QuotaRate {
    fileprivate var text: String {
        "\(requests) requests in \(period.inFullSeconds) s, \(burst) at once"
    }
}
