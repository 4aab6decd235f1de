/// Something wrong with a profile's parameters: a mistake, or what an operator should think twice about.
public struct ProfileProblem: Sendable, Hashable {
    public enum Severity: Sendable, Hashable { case error, warning }

    public let severity: Severity
    /// The parameter it is about; nil: the issuer as a whole, or an audience.
    public let parameter: String?
    /// Which element of a list; nil: all of it.
    public let index: Int?
    /// What is wrong, as the rest of a sentence about the place.
    public let message: String
    /// What to do.
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
