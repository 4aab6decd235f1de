import TokenVerification

/// Tenants whose tokens an Entra ID issuer accepts, and the addresses that serve them.
struct EntraTenancy: Sendable {
    /// A tenant, or a word that stands for many.
    enum Extent: Sendable, Hashable {
        case single(String)
        /// `common` or `organizations`. The tenants are nil if any is accepted.
        case many(String, allowed: Set<String>?)
    }

    /// The one tenant of all personal accounts.
    static let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

    let cloud: EntraCloud
    let extent: Extent

    /// Part of an address in place of the tenant.
    var segment: String {
        switch extent {
        case .single(Self.consumers): "consumers"
        case .single(let tenant): tenant
        case .many(let word, _): word
        }
    }

    var isMany: Bool { if case .many = extent { true } else { false } }

    var directory: DirectoryRule {
        switch extent {
        case .single(let tenant): DirectoryRule(allowed: [tenant])
        case .many(_, let allowed): DirectoryRule(allowed: allowed)
        }
    }

    /// Every tenant's `iss` of a version.
    func family(_ version: EntraVersion) -> IssuerIdentifier {
        switch version {
        case .two: IssuerIdentifier(template: "https://\(cloud.signInHost)/", "/v2.0")
        case .one: IssuerIdentifier(template: "https://\(cloud.tokenServiceHost)/", "/")
        }
    }

    /// The same with the final slash that version 2.0 lacks, and the other way round.
    func familyWithOtherEnd(_ version: EntraVersion) -> IssuerIdentifier {
        switch version {
        case .two: IssuerIdentifier(template: "https://\(cloud.signInHost)/", "/v2.0/")
        case .one: IssuerIdentifier(template: "https://\(cloud.tokenServiceHost)/", "")
        }
    }

    /// Value of `iss` in a version.
    func identifier(_ version: EntraVersion) -> IssuerIdentifier {
        guard case .single(let tenant) = extent else { return family(version) }
        var identifier =
            switch version {
            case .two: IssuerIdentifier("https://\(cloud.signInHost)/\(tenant)/v2.0")
            case .one: IssuerIdentifier("https://\(cloud.tokenServiceHost)/\(tenant)/")
            }
        identifier.tenant = tenant
        return identifier
    }

    /// The metadata of a version: only its own document names its keys, whichever endpoint clients use.
    func metadataURL(_ version: EntraVersion, signingApp: String?) -> String {
        let path = version == .two ? "/v2.0" : ""
        let query = signingApp.map { "?appid=\($0)" } ?? ""
        return "https://\(cloud.signInHost)/\(segment)\(path)/.well-known/openid-configuration\(query)"
    }

    /// Authorization server for clients, the same for both versions.
    var authorizationServer: String {
        switch extent {
        case .single(let tenant): "https://\(cloud.signInHost)/\(tenant)/v2.0"
        case .many: "https://\(cloud.signInHost)/organizations/v2.0"
        }
    }

    /// Challenge for a stronger authentication: by the tenant if there is one, otherwise by the user's own.
    var stepUp: StepUpChallenge {
        switch extent {
        case .single(let tenant):
            .claimsRequest(realm: tenant, authorizationURI: "https://\(cloud.signInHost)/\(tenant)/oauth2/authorize")
        case .many: .claimsRequest(realm: "", authorizationURI: "https://\(cloud.signInHost)/common/oauth2/authorize")
        }
    }
}
