import JOSE
import KeySets
import TokenVerification

/// Profile of Azure AD B2C: user flows ("policies") of one tenant, each with its own key set.
///
/// All B2C tenants in the world share the key of the built-in user flows. A good signature therefore proves little:
/// issuer, audience and policy decide.
enum AzureB2CProfile: ProfileDefinition {
    static let title = "Azure AD B2C"
    static let namesKeySets = true
    static let parameters: [ProfileParameter] = [
        .required("tenant_name", .text, "the first part of `<name>.onmicrosoft.com`", example: "contosocustomers"),
        .required(
            "tenant_id", .text, "the directory (tenant) id, a GUID", example: "5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412"),
        .required(
            "policies", .texts, "the user flows whose tokens are accepted, such as `[B2C_1_susi]`",
            example: "[B2C_1_susi]"),
        .optional(
            "domains", .texts, "the hosts at which users sign in", .meaning("it is `<tenant_name>.b2clogin.com`"),
            example: "[login.contoso.example]"),
        .optional(
            "issuer_style", .words(of: B2CIssuers.Style.self), "`default`, or `tfp` if `iss` names the user flow",
            .value("default"),
            example: "tfp"),
        .optional(
            "policy_claim", .words(of: PolicyClaim.self),
            "the claim that names the user flow: `tfp`, `acr`, or `auto` for either",
            .value("auto"), example: "acr"),
        .extraIssuers(
            "other values of `iss`", example: "https://login.contoso.example/5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412/v2.0/"
        ),
        .clients(
            "the application (client) ids that may use the API", example: "[0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70]"),
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let tenantName = reading.tenantName()
        let tenant = reading.guid("tenant_id", hint: EntraFamily.guidHint)
        let policies = reading.b2cPolicies()
        let domains = reading.domains("domains")
        let style = reading.choice("issuer_style") ?? B2CIssuers.Style.default
        let claim = reading.choice("policy_claim") ?? PolicyClaim.auto
        let others = reading.extraIssuers(ending: "/")
        let clients = reading.guids("clients", hint: EntraFamily.clientHint)
        guard let tenantName, let tenant, let policies, !reading.hasErrors else { return nil }
        let issuers = B2CIssuers(
            tenantName: tenantName, tenant: tenant, domains: domains ?? ["\(tenantName).b2clogin.com"], style: style,
            policies: policies)
        var issuer = TrustedIssuer(
            name: name, identifiers: issuers.accepted + others.map { IssuerIdentifier($0) }, algorithms: [.rs256],
            tokenType: EntraFamily.tokenType(allowsAppOnly: false))
        describe(&issuer, issuers, PolicyRule(claims: claim.paths, policies: IndexedBy(policies)))
        issuer.clients = clients
        return profiled(issuer, issuers)
    }

    static func problem(withAudience audience: String, of issuer: TrustedIssuer?) -> ProfileProblem? {
        EntraFamily.problem(withAudience: audience)
    }

    private static func describe(_ issuer: inout TrustedIssuer, _ issuers: B2CIssuers, _ policies: PolicyRule) {
        EntraFamily.describe(&issuer)
        issuer.authorizationServers = issuers.policies.map(issuers.authority)
        issuer.keyBinding = .policy(policies)
        issuer.refusedIdentifiers = issuers.refused
        issuer.hints = hints + EntraFamily.hints.filter { $0.rejection != .versionNotAllowed }
        issuer.refuseSlashTwins()
    }

    private static func profiled(_ issuer: TrustedIssuer, _ issuers: B2CIssuers) -> ProfiledIssuer {
        let keySets = issuers.policies.map { policy in
            let source = KeySetSource.jwkSetURL(issuers.keySetURL(policy))
            return NamedKeySet(name: policy, EntraFamily.keySet(source, issuer: issuer.identifier))
        }
        var profiled = ProfiledIssuer(trusted: issuer, keySets: IndexedBy(keySets))
        profiled.displayClaims = EntraFamily.displayClaims.union(["idp", "idp_access_token"])
        profiled.scopeURIPrefix = "https://\(issuers.tenantName).onmicrosoft.com/"
        return profiled
    }

    /// Claims in which tokens name their policy. `auto` reads both, for tenants that use neither claim for something
    /// else.
    private enum PolicyClaim: String, CaseIterable {
        case auto, tfp, acr

        var paths: [ClaimPath] {
            switch self {
            case .auto: [ClaimPath(member: "tfp"), ClaimPath(member: "acr")]
            case .tfp: [ClaimPath(member: "tfp")]
            case .acr: [ClaimPath(member: "acr")]
            }
        }
    }

    private static let hints: [IssuerHint] = [
        IssuerHint(
            .policyNotAllowed,
            """
            The token is of a user flow that is not in policies, or signed with another flow's key. Password reset and profile editing \
            make tokens too: have the app sign in again, or add the flow.
            """),
        IssuerHint(
            .notAccessToken,
            "No scp: an ID token, or no scope of the API was asked for. Ask for https://<name>.onmicrosoft.com/<api>/<scope>."
        ),
        IssuerHint(
            .unknownKeyID,
            "No key of a flow in policies has this kid. A custom policy has keys of its own: add it to policies."),
        IssuerHint(
            .malformed,
            "Not a token, perhaps the word Empty: without a scope of the API, B2C issues no access token."),
        IssuerHint(
            .opaqueNotSupported,
            "Not a JWT, perhaps the word Empty: without a scope of the API, B2C issues no access token."),
    ]
}
