import TokenVerification

/// Definition of a profile.
protocol ProfileDefinition: Sendable {
    /// The system's own name.
    static var title: String { get }
    static var parameters: [ProfileParameter] { get }
    /// Whether the system answers questions about opaque tokens (RFC 7662).
    static var answersIntrospection: Bool { get }
    /// Whether an issuer may have several key sets, each with a name.
    static var namesKeySets: Bool { get }

    /// Reads the parameters and reports what is wrong with them; what it returns counts only if nothing was.
    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer?

    /// Problem of an audience for this system's tokens, besides the problems for any system's.
    ///
    /// - Parameter issuer: the issuer made of the parameters. Nil if they have mistakes.
    static func problem(withAudience audience: String, of issuer: TrustedIssuer?) -> ProfileProblem?
}

extension ProfileDefinition {
    static var answersIntrospection: Bool { false }
    static var namesKeySets: Bool { false }

    static func problem(withAudience audience: String, of issuer: TrustedIssuer?) -> ProfileProblem? { nil }
}
