import TokenVerification

/// An identity system with its own parameters in the configuration file, from which a trusted issuer is made.
///
/// Each profile is a pure function: no file, no network, no clock. It describes the system's tokens in the neutral
/// vocabulary of `TrustedIssuer`, so that no module below this one knows any system by name.
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
    case hydra
    case clerk
    case googleIAP = "google-iap"
    case cloudflareAccess = "cloudflare-access"
    case firebaseAppCheck = "firebase-app-check"
    case awsALB = "aws-alb"
    case gitHubActions = "github-actions"
    case gitLabCI = "gitlab-ci"
    case kubernetes
    case spiffe
}

extension IssuerProfile {
    /// The definition of this profile. Nothing else maps profiles to definitions.
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
        case .hydra: HydraProfile.self
        case .clerk: ClerkProfile.self
        case .googleIAP: GoogleIAPProfile.self
        case .cloudflareAccess: CloudflareAccessProfile.self
        case .firebaseAppCheck: FirebaseAppCheckProfile.self
        case .awsALB: AWSALBProfile.self
        case .gitHubActions: GitHubActionsProfile.self
        case .gitLabCI: GitLabCIProfile.self
        case .kubernetes: KubernetesProfile.self
        case .spiffe: SPIFFEProfile.self
        }
    }
}

extension IssuerProfile {
    /// Product name of the system, such as `Amazon Cognito`.
    public var title: String { definition.title }

    /// Parameters of this profile, in the order of display. Not included are those that every issuer has (`jwks_uri`,
    /// `leeway` …).
    public var parameters: [ProfileParameter] { definition.parameters }

    /// Makes an issuer from the parameters.
    ///
    /// - Parameters:
    ///   - name: name of the issuer in the file, chosen by the operator.
    ///   - values: values by parameter name, in the form that the parameter states. Unknown names are ignored.
    public func issuer(named name: String, _ values: [String: ParameterValue]) -> ProfileOutcome {
        var reading = ParameterReading(values)
        let issuer = definition.issuer(named: name, &reading)
        return ProfileOutcome(issuer: reading.hasErrors ? nil : issuer, problems: reading.problems)
    }

    /// Whether the system offers token introspection (RFC 7662), for opaque tokens.
    public var answersIntrospection: Bool { definition.answersIntrospection }

    /// Header in which the system's proxy sends its tokens. Nil if apps send them in `Authorization`.
    public var tokenHeader: String? { definition.tokenHeader }

    /// Whether the system writes tokens without `aud`, unless it is set up otherwise.
    public var mayOmitAudience: Bool { definition.mayOmitAudience }

    /// Whether tokens name the client that they were issued to.
    public var namesClients: Bool { definition.namesClients }

    /// True if its address may have `{realm}` for each of several realms.
    public var mayHaveRealms: Bool { definition.mayHaveRealms }

    /// Whether an issuer may have several key sets, each with a name.
    public var namesKeySets: Bool { definition.namesKeySets }

    /// Problem of an audience that can never be the operator's own API, in tokens of any system. Nil if there is none.
    public static func problem(withForeignAudience audience: String) -> ProfileProblem? {
        // Only Keycloak has `account` as its own client; with another system it may be an API's name.
        audience == "account" ? nil : ForeignAudience.problem(audience)
    }

    /// Problem of an audience that a resource requires in this profile's tokens. Nil if there is none.
    ///
    /// - Parameter issuer: the issuer made from the parameters. If nil, only problems are reported that do not depend
    ///   on them.
    public func problem(withAudience audience: String, of issuer: TrustedIssuer? = nil) -> ProfileProblem? {
        ForeignAudience.problem(audience) ?? definition.problem(withAudience: audience, of: issuer)
    }
}
