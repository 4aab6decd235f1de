import TokenVerification

/// What each profile defines.
protocol ProfileDefinition: Sendable {
    static var parameters: [ProfileParameter] { get }

    /// Reads the parameters and reports what is wrong with them; what it returns counts only if nothing was.
    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer?

    /// What is wrong with an audience for this system's tokens, beyond what is wrong with it for any system's.
    ///
    /// - Parameter issuer: what the parameters made of the issuer; nil: they have mistakes.
    static func problem(withAudience audience: String, of issuer: TrustedIssuer?) -> ProfileProblem?
}

extension ProfileDefinition {
    static func problem(withAudience audience: String, of issuer: TrustedIssuer?) -> ProfileProblem? { nil }
}
