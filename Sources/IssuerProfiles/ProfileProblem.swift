/// Something wrong with a profile's parameters: a mistake, or what an operator should think twice about.
public struct ProfileProblem: Sendable, Hashable {
    public enum Severity: Sendable, Hashable { case error, warning }

    public let severity: Severity
    /// The parameter that the problem is about. Nil for the issuer as a whole, or an audience.
    public let parameter: String?
    /// Index of the element of a list. Nil for the whole list.
    public let index: Int?
    /// Description of the problem, as the rest of a sentence about the value.
    public let message: String
    /// Advice on what to do.
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
