/// Description of one key of the file: the form that its reader accepts, and the texts of the reference and the schema.
public struct KeyReference: Sendable {
    public internal(set) var form: ValueForm
    public let absence: KeyAbsence
    /// Purpose of the key, in one or two sentences.
    public let text: String
    /// Accepted value, as it would be written in the file.
    public let example: String
    /// True if a change of the key takes effect only after a restart; a reload with a change is refused.
    public let needsRestart: Bool

    init(_ form: ValueForm, _ absence: KeyAbsence, _ text: String, example: String, needsRestart: Bool = false) {
        self.form = form
        self.absence = absence
        self.text = text
        self.example = example
        self.needsRestart = needsRestart
    }
}

/// Behaviour if a key is not written.
public enum KeyAbsence: Sendable, Hashable {
    /// The file is refused, with this hint.
    case refused(hint: String)
    /// The file is refused unless the condition holds, with this hint. The text is the condition.
    case refusedUnless(String, hint: String)
    /// The same as if this value were written.
    case value(String)
    /// Text that completes the sentence "Without it …".
    case meaning(String)

    static func value(_ duration: Duration) -> KeyAbsence { .value(Quantity.text(of: duration)) }

    static func value(ofBytes count: Int) -> KeyAbsence { .value(Quantity.text(ofBytes: count)) }

    static func value(_ number: Int) -> KeyAbsence { .value("\(number)") }

    /// True if the file is always refused without the key.
    var isRefused: Bool {
        if case .refused = self { true } else { false }
    }

    /// Hint for a missing key. Nil if the key may be absent.
    var hint: String? {
        switch self {
        case .refused(let hint), .refusedUnless(_, let hint): hint
        case .value, .meaning: nil
        }
    }
}

/// A key with its name.
public struct NamedKey: Sendable {
    public let name: String
    public let reference: KeyReference
}

/// Mapping of the file whose keys are known.
public struct SectionReference: Sendable {
    public let title: String
    /// Description of the section, in one or two sentences.
    public let text: String
    // Sections refer to each other, so the keys of each are made only when they are asked for.
    private let makeKeys: @Sendable () -> [NamedKey]

    /// Keys of the section, in the order in which they are shown.
    public var keys: [NamedKey] { makeKeys() }

    init<Keys: SectionKeys>(_ title: String, _ text: String, of keys: Keys.Type) {
        self.init(title, text) { Keys.named }
    }

    init(_ title: String, _ text: String, keys: @escaping @Sendable () -> [NamedKey]) {
        self.title = title
        self.text = text
        makeKeys = keys
    }
}
