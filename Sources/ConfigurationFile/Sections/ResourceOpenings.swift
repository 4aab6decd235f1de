import RequestAuthorization
import TokenVerification

/// Warns where one token opens two resources: what keeps them apart is then in their rules alone.
struct ResourceOpenings {
    /// What a token must be and name to open a resource.
    private struct Opening: Hashable {
        let issuer: Int
        /// nil: tokens of this issuer need not name any.
        let audience: [UInt8]?
    }

    let issuers: NamedIssuers
    private var first: [Opening: Value] = [:]

    init(issuers: NamedIssuers) {
        self.issuers = issuers
    }

    mutating func note(_ accepted: [AcceptanceReader.Accepted], resource: Value) {
        for accepted in accepted {
            let issuer = accepted.issuer.issuer
            guard issuers.all[issuer].namesResources else {
                note(Opening(issuer: issuer, audience: nil), "", resource)
                continue
            }
            for audience in accepted.audiences {
                note(Opening(issuer: issuer, audience: Array(audience.text.utf8)), " for `\(audience.text)`", audience.value)
            }
        }
    }

    private mutating func note(_ opening: Opening, _ what: String, _ value: Value) {
        guard let first = first[opening] else {
            self.first[opening] = value
            return
        }
        let issuer = issuers.all[opening.issuer]
        value.warnPlace(
            "tokens of `\(issuer.name)`\(what) also open the resource at \(first.place)",
            hint: issuer.hasAudienceOfResource
                ? "give each resource an audience of its own"
                : "this issuer's tokens have no other audience: only the rules tell the resources apart",
        )
    }
}

extension NamedIssuer {
    /// Whether its tokens always have an audience.
    fileprivate var namesResources: Bool {
        if case .client = configured?.trusted.audience { false } else { true }
    }

    /// Whether the operator can choose what that audience is.
    fileprivate var hasAudienceOfResource: Bool {
        configured.map { $0.trusted.audience == .resource } ?? true
    }
}
