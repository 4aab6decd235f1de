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
    /// The one place that knows which definition belongs to which name.
    private var definition: any ProfileDefinition.Type {
        switch self {
        case .entraExternal: EntraExternalProfile.self
        case .entraID: EntraIDProfile.self
        case .azureB2C: AzureB2CProfile.self
        case .firebase: FirebaseProfile.self
        case .logto: LogtoProfile.self
        case .auth0: Auth0Profile.self
        case .okta: OktaProfile.self
        case .keycloak: KeycloakProfile.self
        case .cognito: CognitoProfile.self
        case .google: GoogleProfile.self
        case .zitadel: ZITADELProfile.self
        case .authentik: AuthentikProfile.self
        case .gitHubActions: GitHubActionsProfile.self
        case .gitLabCI: GitLabCIProfile.self
        case .kubernetes: KubernetesProfile.self
        case .spiffe: SPIFFEProfile.self
        }
    }
}

extension IssuerProfile {
    /// The system's own name.
    public var title: String { definition.title }

    /// The parameters of this profile, in the order in which they are shown; those of every issuer (`jwks_uri`,
    /// `leeway` …) not among them.
    public var parameters: [ProfileParameter] { definition.parameters }

    /// Makes an issuer of the parameters.
    ///
    /// - Parameters:
    ///   - name: the operator's.
    ///   - values: by parameter name, each of the form that its parameter says; unknown names are ignored.
    public func issuer(named name: String, _ values: [String: ParameterValue]) -> ProfileOutcome {
        var reading = ParameterReading(values)
        let issuer = definition.issuer(named: name, &reading)
        return ProfileOutcome(issuer: reading.hasErrors ? nil : issuer, problems: reading.problems)
    }

    /// Whether the system answers questions about opaque tokens (RFC 7662).
    public var answersIntrospection: Bool { definition.answersIntrospection }

    /// Whether an issuer may have several key sets, each with a name.
    public var namesKeySets: Bool { definition.namesKeySets }

    /// Problem of an audience that is never the operator's own API, whatever system the tokens come from.
    public static func problem(withForeignAudience audience: String) -> ProfileProblem? {
        // Another system may well have an API of that name.
        audience == "account" ? nil : ForeignAudience.problem(audience)
    }

    /// Problem of an audience that a resource gives for this profile's tokens.
    ///
    /// - Parameter issuer: the issuer made of the parameters. If it is nil, only problems are reported that do not
    ///   depend on them.
    public func problem(withAudience audience: String, of issuer: TrustedIssuer? = nil) -> ProfileProblem? {
        ForeignAudience.problem(audience) ?? definition.problem(withAudience: audience, of: issuer)
    }
}
