/// The form of a value in the file.
public indirect enum ValueForm: Sendable {
    /// A scalar's own characters; what they are: "a path".
    case text(String)
    /// Text of which a regular expression is known besides (ECMA-262).
    case pattern(String, String)
    /// One of these.
    case words([String])
    /// `true` or `false`.
    case boolean
    /// A whole number.
    case integer(ClosedRange<Int>)
    /// Such as `30s`.
    case duration(ClosedRange<Duration>)
    /// Such as `16KiB`; bytes.
    case size(ClosedRange<Int>)
    /// Text, a number or a boolean, as a claim has it.
    case claimValue
    /// Any JSON value, null too.
    case anything
    /// One, or a list of them.
    case list(ValueForm, mayBeEmpty: Bool = false)
    /// A list of at least one, also of one.
    case listAlone(ValueForm)
    /// Any names, what they are, and the form of what each stands for.
    case mapping(of: ValueForm, to: ValueForm)
    case section(SectionReference)
    /// Which section it is depends on the value of one key.
    case tagged(by: String, [TaggedSection])
    case oneOf([ValueForm])

    /// One of the sections among which a key decides.
    public struct TaggedSection: Sendable {
        /// The value of the deciding key; nil: the key is absent.
        public let tag: String?
        public let section: SectionReference
    }

    /// Claims, and the values of which each must have one.
    static let claims = mapping(of: .text("a claim's name or path"), to: .list(.claimValue))

    static func words<Word: RawRepresentable<String> & CaseIterable>(of type: Word.Type) -> ValueForm {
        .words(type.allCases.map(\.rawValue))
    }

    /// Or `off`, for no bound.
    static func orOff(_ form: ValueForm) -> ValueForm { .oneOf([form, .words(["off"])]) }

    /// What the accessor finds in this form, or in the first of its alternatives that has it.
    func first<Found>(_ accessor: (ValueForm) -> Found?) -> Found? {
        guard case .oneOf(let forms) = self else { return accessor(self) }
        for form in forms {
            if let found = form.first(accessor) { return found }
        }
        return nil
    }
}
