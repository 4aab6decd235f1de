import TokenVerification

/// The tenants whose tokens an Entra ID issuer accepts, with the URLs that follow from them.
struct EntraTenancy: Sendable {
    /// One tenant, or a word that means many.
    enum Extent: Sendable, Hashable {
        case single(String)
        /// `common` or `organizations`. The allowed tenants are nil if any tenant is accepted.
        case many(String, allowed: Set<String>?)
    }

    /// The one tenant of all personal accounts.
    static let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

    let cloud: EntraCloud
    let extent: Extent

    /// The path segment in the tenant's position of Microsoft's URLs: the tenant ID, or a word such as `consumers`.
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

    /// Template that matches the `iss` of every tenant in tokens of this version.
    func family(_ version: EntraVersion) -> IssuerIdentifier {
        switch version {
        case .two: IssuerIdentifier(template: "https://\(cloud.signInHost)/", "/v2.0")
        case .one: IssuerIdentifier(template: "https://\(cloud.tokenServiceHost)/", "/")
        }
    }

    /// Template like `family`, but with the wrong end: with a final slash in version 2.0, without it in version 1.0.
    func familyWithOtherEnd(_ version: EntraVersion) -> IssuerIdentifier {
        switch version {
        case .two: IssuerIdentifier(template: "https://\(cloud.signInHost)/", "/v2.0/")
        case .one: IssuerIdentifier(template: "https://\(cloud.tokenServiceHost)/", "")
        }
    }

    /// The accepted `iss` in tokens of this version. The template of all tenants if many are accepted.
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

    /// URL of a version's metadata. Each version has its own document with its own keys, regardless of the endpoint
    /// that clients use.
    func metadataURL(_ version: EntraVersion, signingApp: String?) -> String {
        let path = version == .two ? "/v2.0" : ""
        let query = signingApp.map { "?appid=\($0)" } ?? ""
        return "https://\(cloud.signInHost)/\(segment)\(path)/.well-known/openid-configuration\(query)"
    }

    /// Authorization server that clients are referred to, the same for both versions.
    var authorizationServer: String {
        switch extent {
        case .single(let tenant): "https://\(cloud.signInHost)/\(tenant)/v2.0"
        case .many: "https://\(cloud.signInHost)/organizations/v2.0"
        }
    }

    /// Challenge for a stronger authentication: at the tenant if there is only one, otherwise at the user's own tenant.
    var stepUp: StepUpChallenge {
        switch extent {
        case .single(let tenant):
            .claimsRequest(realm: tenant, authorizationURI: "https://\(cloud.signInHost)/\(tenant)/oauth2/authorize")
        case .many: .claimsRequest(realm: "", authorizationURI: "https://\(cloud.signInHost)/common/oauth2/authorize")
        }
    }
}
