import IssuerProfiles
import KeySets
import TokenVerification

/// The smallest set of parameters for each profile, and the resulting issuer with changes.
enum TestIssuers {
    static let tenant = "5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412"
    static let other = "e4a07f63-9b12-4c8d-8d35-62f1ab7094ce"
    static let balancer =
        "arn:aws:elasticloadbalancing:eu-north-1:441100223344:loadbalancer/app/shop/50dc6c495c0c9188"

    static func least(_ profile: IssuerProfile) -> [String: ParameterValue] {
        switch profile {
        case .entraExternal: ["tenant_id": .text(tenant)]
        case .entraID: ["tenant": .text(tenant)]
        case .azureB2C:
            ["tenant_name": .text("rotkiefer"), "tenant_id": .text(tenant), "policies": .texts(["B2C_1_susi"])]
        case .firebase: ["project_id": .text("kestrel-demo-4411")]
        case .logto: ["endpoint": .text("https://auth.example")]
        case .auth0: ["domain": .text("kestrel.eu.auth0.com")]
        case .okta: ["issuer": .text("https://kestrel.okta.com/oauth2/default")]
        case .keycloak: ["realm_url": .text("https://id.example/realms/shop")]
        case .cognito: ["user_pool_id": .text("eu-north-1_Ab12Cd34E"), "client_ids": .texts(["c1"])]
        case .google: [:]
        case .zitadel: ["domain": .text("kestrel.zitadel.cloud")]
        case .authentik: ["host": .text("ak.example"), "application_slug": .text("orders")]
        case .hydra: ["issuer": .text("https://hydra.example/")]
        case .clerk: ["frontend_api": .text("https://clerk.kaasik.example")]
        case .googleIAP: [:]
        case .cloudflareAccess: ["team_domain": .text("kaasik.cloudflareaccess.com")]
        case .firebaseAppCheck: ["project_number": .text("441100223344")]
        case .awsALB: ["issuer": .text("https://id.kaasik.example/realms/shop"), "signer": .text(balancer)]
        case .gitHubActions: ["owners": .texts(["kaasik"])]
        case .gitLabCI: ["namespaces": .texts(["kaasik"])]
        case .kubernetes: [:]
        case .spiffe: ["trust_domain": .text("kaasik.example"), "issuer": .text("https://oidc.kaasik.example")]
        }
    }

    /// Outcome for the smallest set of parameters with some changed or added.
    static func outcome(_ profile: IssuerProfile, _ changes: [String: ParameterValue] = [:]) -> ProfileOutcome {
        profile.issuer(named: "sample", least(profile).merging(changes) { _, changed in changed })
    }

    /// Outcome for the smallest set of parameters without one of them.
    static func outcome(_ profile: IssuerProfile, without name: String) -> ProfileOutcome {
        profile.issuer(named: "sample", least(profile).filter { $0.key != name })
    }

    static func trusted(_ profile: IssuerProfile, _ changes: [String: ParameterValue] = [:]) throws -> TrustedIssuer {
        guard let issuer = outcome(profile, changes).issuer else { throw NoIssuer() }
        return issuer.trusted
    }

    private struct NoIssuer: Error {}
}

extension ProfileOutcome {
    /// Accepted values of `iss`.
    var identifiers: [String] { issuer?.trusted.identifiers.map(\.description) ?? [] }

    /// Sources of the key sets, as `name source`.
    var keySets: [String] { issuer?.keySets.map { $0.name + " " + $0.configuration.source.description } ?? [] }
}
