import KeySets
import TokenVerification

/// A trusted issuer that a profile has made from its parameters, with its key sets.
public struct ProfiledIssuer: Sendable, Hashable {
    public var trusted: TrustedIssuer
    /// The issuer's key sets; at least one.
    public var keySets: IndexedBy<KeySetIndex, NamedKeySet>
    /// Claims that users can choose themselves: fit for display, not for decisions.
    public var displayClaims: Set<String> = []
    /// Warning for configurations that decide by this issuer's roles. Nil if there is none.
    public var roleWarning: String?
    /// Advice on how to get roles into its tokens, if the file has to ask for them. Nil if no further parameter is
    /// needed.
    public var roleHint: String?
    /// Whether its access tokens can contain the time of authentication (`auth_time`). True if that is unknown.
    public var hasAuthenticationTime = true
    /// Whether its access tokens can contain the authentication context class (`acr`). True if that is unknown.
    public var hasContextClass = true
    /// Prefix of an API's usual scope URIs, up to the client ID. Nil if clients request scopes by the names that tokens
    /// contain.
    public var scopeURIPrefix: String?
    /// Whether clients request scopes by a full URI, while tokens contain only its last part.
    public var shortensScopes: Bool { scopeURIPrefix != nil }
    /// Whether its tokens can contain scopes at all.
    public var hasScopes: Bool { !trusted.scopeClaims.isEmpty }
}

/// Key set of an issuer. By its name the configuration file can override its URL.
public struct NamedKeySet: Sendable, Hashable {
    /// Name of the key set. Empty if it is the issuer's only one.
    public let name: String
    public var configuration: KeySetConfiguration

    public init(name: String = "", _ configuration: KeySetConfiguration) {
        self.name = name
        self.configuration = configuration
    }
}

/// The outcome of reading a profile's parameters.
public struct ProfileOutcome: Sendable, Hashable {
    /// The issuer. Nil if at least one problem is an error.
    public let issuer: ProfiledIssuer?
    public let problems: [ProfileProblem]
}
