import TokenVerification

/// The definition of one identity system's profile, as static members of a type without values.
protocol ProfileDefinition: Sendable {
    /// Product name of the system, such as `Amazon Cognito`.
    static var title: String { get }
    static var parameters: [ProfileParameter] { get }
    /// Whether the system offers token introspection (RFC 7662), for opaque tokens.
    static var answersIntrospection: Bool { get }
    /// Header in which the system's proxy sends its tokens. Nil if apps send them in `Authorization`.
    static var tokenHeader: String? { get }
    /// Whether the system writes tokens without `aud`, unless it is set up otherwise.
    static var mayOmitAudience: Bool { get }
    /// Whether tokens name the client that they were issued to.
    static var namesClients: Bool { get }
    /// True if its address may have `{realm}` for each of several realms.
    static var mayHaveRealms: Bool { get }
    /// Whether an issuer may have several key sets, each with a name.
    static var namesKeySets: Bool { get }

    /// Reads the parameters and makes the issuer. The result is used only if `reading` has no errors.
    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer?

    /// Problem of an audience in this system's tokens, besides those that are checked for every system. Nil if there is
    /// none.
    ///
    /// - Parameter issuer: the issuer made from the parameters. Nil if they have errors.
    static func problem(withAudience audience: String, of issuer: TrustedIssuer?) -> ProfileProblem?
}

extension ProfileDefinition {
    static var answersIntrospection: Bool { false }
    static var tokenHeader: String? { nil }
    static var mayOmitAudience: Bool { false }
    static var namesClients: Bool { true }
    static var mayHaveRealms: Bool { false }
    static var namesKeySets: Bool { false }

    static func problem(withAudience audience: String, of issuer: TrustedIssuer?) -> ProfileProblem? { nil }
}
