import KeySets
import TokenVerification

/// Issuer that a profile makes of its parameters.
public struct ProfiledIssuer: Sendable, Hashable {
    public var trusted: TrustedIssuer
    /// Never empty.
    public var keySets: IndexedBy<KeySetIndex, NamedKeySet>
    /// Claims that users can choose themselves: fit for display, not for decisions.
    public var displayClaims: Set<String> = []
    /// Warning about decisions by roles. Nil if there is none.
    public var roleWarning: String?
    /// Advice how to get roles into its tokens, if the operator must ask for them. Nil if the configuration suffices.
    public var roleHint: String?
    /// Whether its access tokens can say when the user authenticated; true where that is not known.
    public var hasAuthenticationTime = true
    /// Whether its access tokens can say by which context class the user authenticated; true where that is not known.
    public var hasContextClass = true
    /// The usual URI of an API, by which clients ask for its scopes, without the client id at its end. Nil if they ask
    /// by the names that tokens have.
    public var scopeURIPrefix: String?
    /// Whether clients ask for scopes by a full name, a URI, of which its tokens have the last part alone.
    public var shortensScopes: Bool { scopeURIPrefix != nil }
    /// Whether its tokens can carry scopes at all.
    public var hasScopes: Bool { !trusted.scopeClaims.isEmpty }
}

/// Key set of an issuer, with the name by which a file may give another location for it.
public struct NamedKeySet: Sendable, Hashable {
    /// Empty where the issuer has only this one.
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
