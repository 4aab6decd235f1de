/// A parameter of a profile, with the advice and the example that messages and the JSON Schema show.
public struct ProfileParameter: Sendable, Hashable {
    /// Form of the value in the configuration file.
    public enum Form: Sendable, Hashable {
        case text
        /// Exactly one of the listed texts.
        case words([String])
        /// One text, or a list of at least one.
        case texts
        case boolean
        /// A duration such as `30s`; not negative.
        case duration
    }

    /// Value or meaning if the parameter is absent.
    public enum Absence: Sendable, Hashable {
        case refused
        /// The parameter has this value by default.
        case value(String)
        /// Effect of the absence, in words that complete a sentence starting with "without it".
        case meaning(String)
    }

    public let name: String
    public let form: Form
    public let absence: Absence
    /// Advice on what to write, in words that complete a sentence starting with "write".
    public let advice: String
    /// A valid value, as written in the file.
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

    /// The parameter `clients`, which has the same meaning in every profile: applications that may use the API.
    static func clients(_ advice: String, example: String) -> ProfileParameter {
        optional("clients", .texts, advice, .meaning("every application that gets such tokens may"), example: example)
    }

    /// The parameter `extra_issuers`, which has the same meaning in every profile: further values of `iss`.
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
