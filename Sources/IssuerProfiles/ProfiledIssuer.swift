import KeySets
import TokenVerification

/// What a profile makes of its parameters.
public struct ProfiledIssuer: Sendable, Hashable {
    public var trusted: TrustedIssuer
    /// Its key sets; `IssuerIdentifier.keySet` and the places in a `PolicyRule` count them. Never empty.
    public var keySets: [NamedKeySet]
    /// Claims that users can choose themselves: good for showing, not for deciding.
    public var displayClaims: Set<String> = []
    /// What an operator should know before deciding by roles; nil: nothing.
    public var roleWarning: String?
    /// Whether its tokens can carry scopes at all.
    public var hasScopes: Bool { !trusted.scopeClaims.isEmpty }

    public init(trusted: TrustedIssuer, keySets: [NamedKeySet]) {
        self.trusted = trusted
        self.keySets = keySets
    }
}

/// One of an issuer's key sets, with the name by which a file may say where else it is.
public struct NamedKeySet: Sendable, Hashable {
    /// Empty where the issuer has only this one.
    public let name: String
    public var configuration: KeySetConfiguration

    public init(name: String = "", _ configuration: KeySetConfiguration) {
        self.name = name
        self.configuration = configuration
    }
}

/// What came of reading a profile's parameters.
public struct ProfileOutcome: Sendable, Hashable {
    /// nil: at least one problem is an error.
    public let issuer: ProfiledIssuer?
    public let problems: [ProfileProblem]
}
