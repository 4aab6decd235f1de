import JOSE
import KeySets
import TokenVerification

/// Profile of Microsoft Entra ID: directories of organizations, one or many, and personal accounts.
///
/// The same keys sign the tokens of all tenants, so the tenant decides. Three values must agree on it: `tid`, `iss`,
/// and the `issuer` member of the key.
enum EntraIDProfile: ProfileDefinition {
    static let title = "Microsoft Entra ID"
    static let namesKeySets = true
    static let parameters: [ProfileParameter] = [
        .required(
            "tenant", .text, "the directory (tenant) id, a GUID, or `organizations`, `common` or `consumers`",
            example: "5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412"),
        .optional(
            "versions", .texts, "the versions of access tokens: `[2]`, `[1]` or `[1, 2]`", .value("[2]"),
            example: "[1, 2]"),
        .optional(
            "allowed_tenants", .texts, "the tenants whose users may come, GUIDs",
            .meaning(
                "only `tenant` is allowed; with `organizations` or `common`, this parameter or `any_tenant` is required"
            ),
            example: "[5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412]"),
        .optional(
            "any_tenant", .boolean, "`true` if every tenant in the world is welcome",
            .meaning("the tenants must be named"), example: "true"
        ),
        .clients(
            "the application (client) ids that may use the API", example: "[0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70]"),
        .optional(
            "allow_app_only", .boolean, "`true` to accept tokens without a user", .value("false"), example: "true"),
        .optional(
            "custom_signing_app_id", .text, "the API's client id, if claims mapping gives it keys of its own",
            .meaning("the tenant's keys sign"), example: "0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70"),
        .optional(
            "cloud", .words(of: EntraCloud.self), "`public`, `us-government` or `china`", .value("public"),
            example: "us-government"),
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let extent = reading.entraExtent()
        let versions = reading.entraVersions()
        let clients = reading.guids("clients", hint: EntraFamily.clientHint)
        let type = EntraFamily.tokenType(allowsAppOnly: reading.boolean("allow_app_only"))
        let signingApp = reading.guid("custom_signing_app_id", hint: EntraFamily.clientHint)
        let cloud = reading.choice("cloud") ?? EntraCloud.public
        guard let extent else { return nil }
        let tenancy = EntraTenancy(cloud: cloud, extent: extent)
        if tenancy.isMany, signingApp != nil {
            reading.error(
                "custom_signing_app_id", "cannot be used with many tenants: these keys belong to one app in one tenant",
                hint: "leave it out, or write the one tenant's id")
        }
        var issuer = TrustedIssuer(
            name: name, identifiers: identifiers(tenancy, versions), algorithms: [.rs256], tokenType: type)
        describe(&issuer, tenancy, versions)
        issuer.clients = clients
        var profiled = ProfiledIssuer(trusted: issuer, keySets: IndexedBy(keySets(tenancy, versions, signingApp)))
        profiled.displayClaims = EntraFamily.displayClaims
        profiled.scopeURIPrefix = EntraFamily.scopeURIPrefix
        return profiled
    }

    static func problem(withAudience audience: String, of issuer: TrustedIssuer?) -> ProfileProblem? {
        // In version 1.0, `aud` is the name by which the app requested the API, so any form may be right.
        let isVersionTwo = issuer?.versions == [EntraVersion.two.claim]
        return isVersionTwo ? EntraFamily.problem(withAudience: audience) : EntraFamily.problem(withCaseOf: audience)
    }

    /// The accepted values of `iss`, one for each version. The n-th uses the n-th key set.
    private static func identifiers(_ tenancy: EntraTenancy, _ versions: [EntraVersion]) -> [IssuerIdentifier] {
        versions.enumerated().map { index, version in
            var identifier = tenancy.identifier(version)
            identifier.keySet = KeySetIndex(index)
            return identifier
        }
    }

    private static func keySets(_ tenancy: EntraTenancy, _ versions: [EntraVersion], _ signingApp: String?)
        -> [NamedKeySet]
    {
        versions.map { version in
            let source = KeySetSource.metadata(url: tenancy.metadataURL(version, signingApp: signingApp))
            // The metadata for many tenants has a template with `{tenantid}` as its issuer.
            let issuer = tenancy.identifier(version).description
            let keySet = EntraFamily.keySet(source, issuer: issuer, ofManyTenants: tenancy.isMany)
            return NamedKeySet(name: versions.count > 1 ? version.keySetName : "", keySet)
        }
    }

    private static func describe(_ issuer: inout TrustedIssuer, _ tenancy: EntraTenancy, _ versions: [EntraVersion]) {
        EntraFamily.describe(&issuer)
        issuer.authorizationServers = [tenancy.authorizationServer]
        issuer.clientClaims = EntraFamily.clientClaims
        // A key in the version 2.0 document is also valid for the same tenant's version 1.0 tokens.
        issuer.keyBinding = .issuerMember(orEqualTo: [tenancy.family(.two).description])
        issuer.directory = tenancy.directory
        issuer.versions = versions.map(\.claim)
        issuer.contextClassClaim = ClaimPath(member: "acrs")
        issuer.stepUp = tenancy.stepUp
        issuer.refusedIdentifiers = refused(tenancy, versions)
        issuer.hints = [tenantNotAllowed, unknownKey] + EntraFamily.hints
        issuer.refuseSlashTwins()
    }

    private static func refused(_ tenancy: EntraTenancy, _ versions: [EntraVersion]) -> [RefusedIssuer] {
        let otherVersions = EntraVersion.allCases.filter { !versions.contains($0) }.map { version in
            RefusedIssuer(tenancy.identifier(version), .versionNotAllowed, hint: versionHint(version))
        }
        let otherEnds = EntraVersion.allCases.map { version in
            RefusedIssuer(tenancy.familyWithOtherEnd(version), .issuerMismatch, hint: otherEnd)
        }
        guard !tenancy.isMany else { return otherVersions + otherEnds }
        let otherTenants = EntraVersion.allCases.map { version in
            RefusedIssuer(
                tenancy.family(version), .issuerMismatch,
                hint:
                    "The token is of another tenant. Set the app's authority to the tenant of this issuer, or write tenant: organizations."
            )
        }
        return otherVersions + otherEnds + otherTenants
    }

    private static func versionHint(_ found: EntraVersion) -> String {
        switch found {
        case .one: EntraFamily.versionHint + " Or write versions: [1, 2] for as long as both are in use."
        case .two: "The API's app registration asks for version 2.0 tokens. Write versions: [2]."
        }
    }

    private static let otherEnd = """
        The token's iss differs by a final slash from what Entra ID writes. Entra ID never issues such tokens; Azure \
        AD B2C did, and needs profile: azure-b2c.
        """

    private static let tenantNotAllowed = IssuerHint(
        .tenantNotAllowed,
        "A good token of a tenant that is not in allowed_tenants. Add its id, the token's tid, if its users may come here."
    )

    private static let unknownKey = IssuerHint(
        .unknownKeyID,
        """
        No key of the tenant has this kid. If the API's app registration has claims mapping with a key of its own, write \
        custom_signing_app_id; for personal accounts write tenant: common.
        """)
}
