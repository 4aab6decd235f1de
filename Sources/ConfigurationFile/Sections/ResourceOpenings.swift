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

    /// A resource, and what says that its tokens may open others too.
    private struct Resource {
        let value: Value
        let acknowledgement: Value?
    }

    /// The first resource that each of them opens, and where that says so.
    private var first: [Opening: (value: Value, resource: Resource)] = [:]
    private var acknowledgements: [Value] = []
    /// Those of resources that do share tokens.
    private var used: Set<Position> = []

    /// - Parameter acknowledgement: the value that says that sharing is meant; nil: nothing does.
    mutating func note(_ accepted: [AcceptanceReader.Accepted], resource: Value, acknowledgement: Value?) {
        let resource = Resource(value: resource, acknowledgement: acknowledgement)
        if let acknowledgement { acknowledgements.append(acknowledgement) }
        for accepted in accepted {
            let issuer = accepted.issuer
            if issuer.takesOpaqueWithoutAudience { noteOpaque(issuer, resource) }
            guard issuer.namesResources else {
                note(issuer, .client, "", resource.value, resource)
                continue
            }
            for audience in accepted.audiences {
                note(issuer, .audience(Array(audience.text.utf8)), " for `\(audience.text)`", audience.value, resource)
            }
        }
    }

    /// Warns of resources that say that they share tokens, and do not: what is left over would hide the next mistake.
    func warnOfUnshared() {
        for acknowledgement in acknowledgements where !used.contains(acknowledgement.node.position) {
            acknowledgement.warn(
                "no token of this resource opens another", hint: "take `\(ResourceKeys().sharedAudience.name)` out")
        }
    }

    private static let ifMeant =
        "write `\(ResourceKeys().sharedAudience.name): true` on this resource if that is meant"

    private mutating func noteOpaque(_ issuer: NamedIssuer, _ resource: Resource) {
        guard let first = sharer(of: Opening(issuer: issuer.index, kind: .opaqueOfClient), resource.value, resource)
        else { return }
        resource.value.warnPlace(
            "opaque tokens of `\(issuer.name)` without `aud` also open the resource at \(first.place)",
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

    /// What says that the first resource is opened so too; nil: this resource is the first, or says that it is meant.
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
