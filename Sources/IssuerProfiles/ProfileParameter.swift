/// A parameter of a profile.
public struct ProfileParameter: Sendable, Hashable {
    /// The form in which it is written.
    public enum Form: Sendable, Hashable {
        case text
        /// One text, or a list of at least one.
        case texts
        case boolean
        /// A time such as `30s`; not negative.
        case duration
    }

    public let name: String
    public let form: Form
    public let isRequired: Bool
    /// What to write, for a parameter that is missing: the end of a sentence that begins with "write".
    public let example: String

    static func required(_ name: String, _ form: Form = .text, _ example: String) -> ProfileParameter {
        ProfileParameter(name: name, form: form, isRequired: true, example: example)
    }

    static func optional(_ name: String, _ form: Form = .text, _ example: String = "") -> ProfileParameter {
        ProfileParameter(name: name, form: form, isRequired: false, example: example)
    }
}

/// The value of a parameter, in its parameter's form.
public enum ParameterValue: Sendable, Hashable {
    case text(String)
    case texts([String])
    case boolean(Bool)
    case duration(Duration)
}
