import JOSE
import KeySets
import TokenVerification

/// Profile of Microsoft Entra External ID: a directory of customers, for sign-in in native and browser apps.
///
/// The host in `iss` starts with the tenant's GUID, even if clients use another host. Keys are fetched from
/// ciamlogin.com or the custom domain only: login.microsoftonline.com lacks some.
enum EntraExternalProfile: ProfileDefinition {
    static let title = "Microsoft Entra External ID"
    static let parameters: [ProfileParameter] = [
        .required(
            "tenant_id", .text, "the directory (tenant) id, a GUID", example: "5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412"),
        .optional(
            "tenant_name", .text, "the first part of `<name>.onmicrosoft.com`",
            .meaning("the tenant is known by its id alone"),
            example: "contosocustomers"),
        .optional(
            "custom_domain", .text, "the custom URL domain, such as `login.example.com`", .meaning("there is none"),
            example: "login.example.com"),
        .extraIssuers(
            "other values of `iss`, as the metadata of a custom domain names them",
            example: "https://login.example.com/5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412/v2.0"),
        .clients(
            "the application (client) ids that may use the API", example: "[0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70]"),
        .optional(
            "allow_app_only", .boolean, "`true` to accept tokens without a user", .value("false"), example: "true"),
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let tenant = reading.guid("tenant_id", hint: EntraFamily.guidHint)
        let tenantName = reading.tenantName()
        let customDomain = reading.domain("custom_domain")
        let others = reading.extraIssuers()
        let clients = reading.guids("clients", hint: EntraFamily.clientHint)
        let allowsAppOnly = reading.boolean("allow_app_only")
        guard let tenant else { return nil }
        let host = customDomain ?? "\(tenantName ?? tenant).ciamlogin.com"
        var issuer = trusted(name, tenant, others, EntraFamily.tokenType(allowsAppOnly: allowsAppOnly))
        issuer.clients = clients
        issuer.stepUp = .claimsRequest(
            realm: tenant, authorizationURI: "https://\(host)/\(tenant)/oauth2/v2.0/authorize")
        let metadata = "https://\(host)/\(tenant)/v2.0/.well-known/openid-configuration"
        let keySet = EntraFamily.keySet(.metadata(url: metadata), issuer: identifier(tenant))
        var profiled = ProfiledIssuer(trusted: issuer, keySets: [NamedKeySet(keySet)])
        profiled.displayClaims = EntraFamily.displayClaims
        profiled.scopeURIPrefix = EntraFamily.scopeURIPrefix
        return profiled
    }

    static func problem(withAudience audience: String, of issuer: TrustedIssuer?) -> ProfileProblem? {
        EntraFamily.problem(withAudience: audience)
    }

    private static func identifier(_ tenant: String) -> String { "https://\(tenant).ciamlogin.com/\(tenant)/v2.0" }

    private static func workforce(_ tenant: String) -> String { "https://login.microsoftonline.com/\(tenant)/v2.0" }

    private static func trusted(_ name: String, _ tenant: String, _ others: [String], _ type: TokenTypeRule)
        -> TrustedIssuer
    {
        let identifiers = ([identifier(tenant)] + others).map { text in
            var identifier = IssuerIdentifier(text)
            identifier.tenant = tenant
            return identifier
        }
        var issuer = TrustedIssuer(name: name, identifiers: identifiers, algorithms: [.rs256], tokenType: type)
        EntraFamily.describe(&issuer)
        issuer.authorizationServers = [identifier(tenant)]
        // The `issuer` member of a key may be either of the directory's two issuers, independently of the token's
        // `iss`.
        issuer.keyBinding = .issuerMember(orEqualTo: [identifier(tenant), workforce(tenant)])
        issuer.directory = DirectoryRule(allowed: [tenant])
        issuer.versions = [.string("2.0")]
        issuer.contextClassClaim = ClaimPath(member: "acrs")
        issuer.refusedIdentifiers = refused(tenant)
        issuer.hints = [unknownKey] + EntraFamily.hints
        issuer.refuseSlashTwins()
        return issuer
    }

    private static func refused(_ tenant: String) -> [RefusedIssuer] {
        [
            RefusedIssuer(
                IssuerIdentifier("https://sts.windows.net/\(tenant)/"), .versionNotAllowed,
                hint: EntraFamily.versionHint),
            RefusedIssuer(
                IssuerIdentifier(workforce(tenant)), .issuerMismatch,
                hint: """
                    The token's iss is at login.microsoftonline.com: the app signs in there. Set its authority to this tenant at \
                    ciamlogin.com; if a custom URL domain makes this iss, add it to extra_issuers.
                    """),
            RefusedIssuer(
                IssuerIdentifier(template: "https://", ".ciamlogin.com/\(tenant)/v2.0"), .issuerMismatch,
                hint: """
                    The token's iss has a name in its host where External ID writes the tenant id. External ID never \
                    issues such tokens: find out who issued this one.
                    """),
            RefusedIssuer(
                IssuerIdentifier(template: "https://", ".ciamlogin.com/", "/v2.0"), .issuerMismatch,
                hint: "The token is of another customer directory. Set the app's authority to the tenant of tenant_id."),
        ]
    }

    private static let unknownKey = IssuerHint(
        .unknownKeyID,
        "No key of the directory has this kid. Keys come from ciamlogin.com; a token signed elsewhere is not of this directory."
    )
}

extension ParameterReading {
    /// Reads `tenant_name`, the first label of `<name>.onmicrosoft.com`, in lower case. Nil if the parameter is absent
    /// or invalid; an invalid one is reported.
    mutating func tenantName() -> String? {
        guard let text = text("tenant_name") else { return nil }
        if let dot = text.firstIndex(of: ".") {
            return mistaken("tenant_name", "`\(text)` has a dot", hint: "write the first part only: `\(text[..<dot])`")
        }
        return word("tenant_name", also: "-", hint: "write the first part of `<name>.onmicrosoft.com`")?.lowercased()
    }
}
