/// A parameter of a profile.
public struct ProfileParameter: Sendable, Hashable {
    /// The form in which it is written.
    public enum Form: Sendable, Hashable {
        case text
        /// A text of a closed list.
        case words([String])
        /// One text, or a list of at least one.
        case texts
        case boolean
        /// A time such as `30s`; not negative.
        case duration
    }

    /// Value or meaning if the parameter is absent.
    public enum Absence: Sendable, Hashable {
        case refused
        /// The same as this written value.
        case value(String)
        /// Effect of the absence: the end of a sentence that begins with "without it".
        case meaning(String)
    }

    public let name: String
    public let form: Form
    public let absence: Absence
    /// Advice on what to write: the end of a sentence that begins with "write".
    public let advice: String
    /// A value that is accepted, as the file has it.
    public let example: String

    public var isRequired: Bool { absence == .refused }

    static func required(_ name: String, _ form: Form, _ advice: String, example: String) -> ProfileParameter {
        ProfileParameter(name: name, form: form, absence: .refused, advice: advice, example: example)
    }

    static func optional(_ name: String, _ form: Form, _ advice: String, _ absence: Absence, example: String)
        -> ProfileParameter
    {
        ProfileParameter(name: name, form: form, absence: absence, advice: advice, example: example)
    }

    /// Applications that may use the API; the same in every profile.
    static func clients(_ advice: String, example: String) -> ProfileParameter {
        optional("clients", .texts, advice, .meaning("every application that gets such tokens may"), example: example)
    }

    /// Further values of `iss`; the same in every profile.
    static func extraIssuers(_ advice: String, example: String) -> ProfileParameter {
        optional("extra_issuers", .texts, advice, .meaning("there are no others"), example: example)
    }
}

extension ProfileParameter.Form {
    static func words<Word: RawRepresentable<String> & CaseIterable>(of type: Word.Type) -> ProfileParameter.Form {
        .words(type.allCases.map(\.rawValue))
    }
}

/// The value of a parameter, in its parameter's form.
public enum ParameterValue: Sendable, Hashable {
    case text(String)
    case texts([String])
    case boolean(Bool)
    case duration(Duration)
}
