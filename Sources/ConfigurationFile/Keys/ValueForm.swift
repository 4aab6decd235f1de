/// Form of a value in the file.
public indirect enum ValueForm: Sendable {
    /// Characters of a scalar. The text describes them, such as "a path".
    case text(String)
    /// Text with a description and a regular expression for it (ECMA-262).
    case pattern(String, String)
    /// Any of these words.
    case words([String])
    /// `true` or `false`.
    case boolean
    /// A whole number.
    case integer(ClosedRange<Int>)
    /// Duration, such as `30s`.
    case duration(ClosedRange<Duration>)
    /// Size in bytes, such as `16KiB`.
    case size(ClosedRange<Int>)
    /// Text, a number or a boolean, as a claim has it.
    case claimValue
    /// Any JSON value, null too.
    case anything
    /// A single value or a list of values.
    case list(ValueForm, mayBeEmpty: Bool = false)
    /// List of at least one element; a single value without the list is not accepted.
    case listAlone(ValueForm)
    /// Mapping with names of one form and values of another.
    case mapping(of: ValueForm, to: ValueForm)
    case section(SectionReference)
    /// Section that is selected by the value of one key.
    case tagged(by: String, [TaggedSection])
    case oneOf([ValueForm])

    /// Section of a tagged form, with the value that selects it.
    public struct TaggedSection: Sendable {
        /// Value of the selecting key. Nil if the key is absent.
        public let tag: String?
        public let section: SectionReference
    }

    /// Form of a mapping from claims to their accepted values.
    static let claims = mapping(of: .text("a claim's name or path"), to: .list(.claimValue))

    static func words<Word: RawRepresentable<String> & CaseIterable>(of type: Word.Type) -> ValueForm {
        .words(type.allCases.map(\.rawValue))
    }

    /// Form with the additional value `off`, which means no bound.
    static func orOff(_ form: ValueForm) -> ValueForm { .oneOf([form, .words(["off"])]) }

    /// First result of the accessor in this form or, for a list of alternatives, in one of them. Nil if there is no
    /// result.
    func first<Found>(_ accessor: (ValueForm) -> Found?) -> Found? {
        guard case .oneOf(let forms) = self else { return accessor(self) }
        for form in forms {
            if let found = form.first(accessor) { return found }
        }
        return nil
    }
}
