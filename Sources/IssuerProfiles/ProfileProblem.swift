/// A problem in a profile's parameters: an error, or a warning about a valid but risky value.
public struct ProfileProblem: Sendable, Hashable {
    public enum Severity: Sendable, Hashable { case error, warning }

    public let severity: Severity
    /// The parameter that the problem is about. Nil for the issuer as a whole, or an audience.
    public let parameter: String?
    /// Index of the list element that the problem is about. Nil for the whole value.
    public let index: Int?
    /// Description of the problem, in words that complete a sentence starting with the parameter or its value.
    public let message: String
    /// Advice on what to do. Nil if there is none.
    public let hint: String?

    public init(
        _ severity: Severity, _ parameter: String? = nil, index: Int? = nil, _ message: String, hint: String? = nil
    ) {
        self.severity = severity
        self.parameter = parameter
        self.index = index
        self.message = message
        self.hint = hint
    }
}
