import RequestAuthorization
import TokenVerification

/// Warns if one token opens two resources. Then only the rules keep them apart.
struct ResourceOpenings {
    /// Property of tokens that opens a resource: their issuer, with an audience or kind of token.
    private struct Opening: Hashable {
        enum Kind: Hashable {
            case audience([UInt8])
            /// Any token of an issuer whose tokens need no audience.
            case client
            /// Signed token without audience, of a client that is listed for such tokens.
            case clientWithoutAudience
            /// Opaque token without audience, of a client that is listed for such tokens.
            case opaqueOfClient
        }

        let issuer: IssuerIndex
        let kind: Kind
    }

    /// Resource, and the value that declares shared tokens as intended. Nil if there is none.
    private struct Resource {
        let value: Value
        let acknowledgement: Value?
    }

    /// First resource for each opening, and the value there that permits it.
    private var first: [Opening: (value: Value, resource: Resource)] = [:]
    private var acknowledgements: [Value] = []
    /// Positions of `shared_audience` values whose resources do share tokens.
    private var used: Set<Position> = []

    /// Adds a resource, and warns if tokens for it open an earlier resource too.
    ///
    /// - Parameter acknowledgement: value that declares sharing as intended. Nil if there is none.
    mutating func note(_ accepted: [AcceptanceReader.Accepted], resource: Value, acknowledgement: Value?) {
        let resource = Resource(value: resource, acknowledgement: acknowledgement)
        if let acknowledgement { acknowledgements.append(acknowledgement) }
        for accepted in accepted {
            let issuer = accepted.issuer
            if issuer.takesOpaqueWithoutAudience {
                noteClients(issuer, .opaqueOfClient, "opaque tokens", resource)
            }
            if issuer.takesTokensWithoutAudience {
                noteClients(issuer, .clientWithoutAudience, "tokens", resource)
            }
            guard issuer.namesResources else {
                note(issuer, .client, "", resource.value, resource)
                continue
            }
            for audience in accepted.audiences {
                note(issuer, .audience(Array(audience.text.utf8)), " for `\(audience.text)`", audience.value, resource)
            }
        }
    }

    /// Warns of resources that declare shared tokens but share none. A declaration that is left over would hide a later
    /// mistake.
    func warnOfUnshared() {
        for acknowledgement in acknowledgements where !used.contains(acknowledgement.node.position) {
            acknowledgement.warn(
                "no token of this resource opens another", hint: "take `\(ResourceKeys().sharedAudience.name)` out")
        }
    }

    private static let ifMeant =
        "write `\(ResourceKeys().sharedAudience.name): true` on this resource if that is meant"

    private mutating func noteClients(
        _ issuer: NamedIssuer, _ kind: Opening.Kind, _ tokens: String, _ resource: Resource
    ) {
        guard let first = sharer(of: Opening(issuer: issuer.index, kind: kind), resource.value, resource) else {
            return
        }
        resource.value.warnPlace(
            "\(tokens) of `\(issuer.name)` without `aud` also open the resource at \(first.place)",
            hint: "such a token names its client alone: only the rules tell the resources apart; \(Self.ifMeant)")
    }

    private mutating func note(
        _ issuer: NamedIssuer, _ kind: Opening.Kind, _ what: String, _ value: Value, _ resource: Resource
    ) {
        guard let first = sharer(of: Opening(issuer: issuer.index, kind: kind), value, resource) else { return }
        value.warnPlace(
            "tokens of `\(issuer.name)`\(what) also open the resource at \(first.place)",
            hint: issuer.hasAudienceOfResource
                ? "give each resource an audience of its own, or \(Self.ifMeant)"
                : "this issuer's tokens have no other audience: only the rules tell the resources apart; \(Self.ifMeant)",
        )
    }

    /// Value of the first resource with the same opening. Nil if this resource is the first, or declares sharing as
    /// intended.
    private mutating func sharer(of opening: Opening, _ value: Value, _ resource: Resource) -> Value? {
        guard let first = first[opening] else {
            self.first[opening] = (value, resource)
            return nil
        }
        for acknowledgement in [first.resource.acknowledgement, resource.acknowledgement].compactMap({ $0 }) {
            used.insert(acknowledgement.node.position)
        }
        return resource.acknowledgement == nil ? first.value : nil
    }
}

extension NamedIssuer {
    /// True if the issuer's tokens always have an audience.
    fileprivate var namesResources: Bool {
        switch configured?.trusted.audience {
        case .client, .signer: false
        case .resource, .fixed, nil: true
        }
    }

    /// True if opaque tokens without an audience are accepted because of their client.
    fileprivate var takesOpaqueWithoutAudience: Bool {
        configured?.trusted.opaqueTokens.map { !$0.clients.isEmpty } ?? false
    }

    /// True if signed tokens without an audience are accepted because of their client.
    fileprivate var takesTokensWithoutAudience: Bool {
        configured.map { !$0.trusted.clientsWithoutAudience.isEmpty } ?? false
    }

    /// True if the operator can choose the audience at the issuer.
    fileprivate var hasAudienceOfResource: Bool {
        configured.map { $0.trusted.audience == .resource } ?? true
    }
}
