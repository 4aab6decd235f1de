import RequestAuthorization
import TokenVerification

extension Configuration {
    /// Number of resources, rules and issuers in words.
    public var summary: String {
        let rules = resources.reduce(0) { $0 + $1.terms.policies.count }
        let counts = [
            Quantity.text(of: resources.count, "resource"), Quantity.text(of: rules, "rule"),
            Quantity.text(of: issuers.count, "issuer"),
        ]
        return counts.joined(separator: ", ")
    }
}
