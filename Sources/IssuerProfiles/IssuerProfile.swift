import TokenVerification

/// An identity system known by name: which parameters it takes, and what they make of an issuer.
///
/// Each profile is a pure function: no file, no network, no clock. It says everything that is known of the system's
/// tokens in the neutral vocabulary of `TrustedIssuer`, so that no module below this one knows any system by name.
public enum IssuerProfile: String, Sendable, Hashable, CaseIterable {
    case entraExternal = "entra-external"
    case entraID = "entra-id"
    case azureB2C = "azure-b2c"
    case firebase
    case logto
    case auth0
    case okta
    case keycloak
    case cognito
    case google
    case zitadel
    case authentik
    case gitHubActions = "github-actions"
    case gitLabCI = "gitlab-ci"
    case kubernetes
    case spiffe
}

extension IssuerProfile {
    /// The parameters of this profile, in the order in which they are shown; those of every issuer (`jwks_uri`,
    /// `leeway` …) not among them.
    public var parameters: [ProfileParameter] { definition.parameters }

    /// What the parameters make of an issuer.
    ///
    /// - Parameters:
    ///   - name: the operator's.
    ///   - values: by parameter name, each of the form that its parameter says; unknown names are not looked at.
    public func issuer(named name: String, _ values: [String: ParameterValue]) -> ProfileOutcome {
        var reading = ParameterReading(values)
        let issuer = definition.issuer(named: name, &reading)
        return ProfileOutcome(issuer: reading.hasErrors ? nil : issuer, problems: reading.problems)
    }

    /// Whether the system answers questions about opaque tokens (RFC 7662).
    public var answersIntrospection: Bool {
        switch self {
        case .entraExternal, .entraID, .azureB2C, .firebase, .cognito, .google, .gitHubActions, .gitLabCI, .kubernetes,
            .spiffe:
            false
        case .logto, .auth0, .okta, .keycloak, .zitadel, .authentik: true
        }
    }

    /// Whether an issuer may have several key sets, each with a name.
    public var namesKeySets: Bool { self == .entraID || self == .azureB2C }

    /// What is wrong with an audience that was never one's own API's, whatever system the tokens come from.
    public static func problem(withForeignAudience audience: String) -> ProfileProblem? {
        // Another system may well have an API of that name.
        audience == "account" ? nil : ForeignAudience.problem(audience)
    }

    /// What is wrong with an audience that a resource gives for this profile's tokens.
    ///
    /// - Parameter issuer: what the parameters made of the issuer; nil: only what is wrong whatever they are is told.
    public func problem(withAudience audience: String, of issuer: TrustedIssuer? = nil) -> ProfileProblem? {
        ForeignAudience.problem(audience) ?? definition.problem(withAudience: audience, of: issuer)
    }
}

extension IssuerProfile {
    /// The system's own name.
    public var title: String {
        switch self {
        case .entraExternal: "Microsoft Entra External ID"
        case .entraID: "Microsoft Entra ID"
        case .azureB2C: "Azure AD B2C"
        case .firebase: "Firebase Authentication"
        case .logto: "Logto"
        case .auth0: "Auth0"
        case .okta: "Okta"
        case .keycloak: "Keycloak"
        case .cognito: "Amazon Cognito"
        case .google: "Google"
        case .zitadel: "ZITADEL"
        case .authentik: "authentik"
        case .gitHubActions: "GitHub Actions"
        case .gitLabCI: "GitLab CI/CD"
        case .kubernetes: "Kubernetes"
        case .spiffe: "SPIFFE"
        }
    }
}
