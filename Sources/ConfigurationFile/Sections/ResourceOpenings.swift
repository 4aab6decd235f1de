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

        let issuer: IssuerIndex
        let kind: Kind
    }

    private var first: [Opening: Value] = [:]

    mutating func note(_ accepted: [AcceptanceReader.Accepted], resource: Value) {
        for accepted in accepted {
            let issuer = accepted.issuer
            if issuer.takesOpaqueWithoutAudience { noteOpaque(issuer, resource) }
            guard issuer.namesResources else {
                note(issuer, .client, "", resource)
                continue
            }
            for audience in accepted.audiences {
                note(issuer, .audience(Array(audience.text.utf8)), " for `\(audience.text)`", audience.value)
            }
        }
    }

    private mutating func noteOpaque(_ issuer: NamedIssuer, _ resource: Value) {
        let opening = Opening(issuer: issuer.index, kind: .opaqueOfClient)
        guard let first = first[opening] else {
            self.first[opening] = resource
            return
        }
        resource.warnPlace(
            "opaque tokens of `\(issuer.name)` without `aud` also open the resource at \(first.place)",
            hint: "such a token names its client alone: only the rules tell the resources apart")
    }

    private mutating func note(_ issuer: NamedIssuer, _ kind: Opening.Kind, _ what: String, _ value: Value) {
        let opening = Opening(issuer: issuer.index, kind: kind)
        guard let first = first[opening] else {
            self.first[opening] = value
            return
        }
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
