import RequestAuthorization
import TokenVerification

/// Warns where one token opens two resources: what keeps them apart is then in their rules alone.
struct ResourceOpenings {
    /// What a token must be and name to open a resource.
    private struct Opening: Hashable {
        enum Kind: Hashable {
            case audience([UInt8])
            /// Tokens of this issuer need not name any.
            case client
            /// An opaque token of one of the clients that need not name any.
            case opaqueOfClient
        }

        let issuer: Int
        let kind: Kind
    }

    let issuers: NamedIssuers
    private var first: [Opening: Value] = [:]

    init(issuers: NamedIssuers) {
        self.issuers = issuers
    }

    mutating func note(_ accepted: [AcceptanceReader.Accepted], resource: Value) {
        for accepted in accepted {
            let issuer = accepted.issuer.issuer
            if issuers.all[issuer].takesOpaqueWithoutAudience { noteOpaque(issuer, resource) }
            guard issuers.all[issuer].namesResources else {
                note(Opening(issuer: issuer, kind: .client), "", resource)
                continue
            }
            for audience in accepted.audiences {
                note(Opening(issuer: issuer, kind: .audience(Array(audience.text.utf8))), " for `\(audience.text)`", audience.value)
            }
        }
    }

    private mutating func noteOpaque(_ issuer: Int, _ resource: Value) {
        let opening = Opening(issuer: issuer, kind: .opaqueOfClient)
        guard let first = first[opening] else {
            self.first[opening] = resource
            return
        }
        resource.warnPlace(
            "opaque tokens of `\(issuers.all[issuer].name)` without `aud` also open the resource at \(first.place)",
            hint: "such a token names its client alone: only the rules tell the resources apart")
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

    /// Whether an opaque token of which the issuer tells no audience is taken for the sake of its client.
    fileprivate var takesOpaqueWithoutAudience: Bool {
        configured?.trusted.opaqueTokens.map { !$0.clients.isEmpty } ?? false
    }

    /// Whether the operator can choose what that audience is.
    fileprivate var hasAudienceOfResource: Bool {
        configured.map { $0.trusted.audience == .resource } ?? true
    }
}
