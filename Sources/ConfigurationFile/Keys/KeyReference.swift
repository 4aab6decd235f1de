/// What is known of one key of the file: what its reader accepts, and what the reference and the schema say of it.
public struct KeyReference: Sendable {
    public internal(set) var form: ValueForm
    public let absence: KeyAbsence
    /// What the key is for, in one or two sentences.
    public let text: String
    /// A value that is accepted, as it would be written.
    public let example: String
    /// Whether a change is refused until the gateway restarts.
    public let needsRestart: Bool

    init(_ form: ValueForm, _ absence: KeyAbsence, _ text: String, example: String, needsRestart: Bool = false) {
        self.form = form
        self.absence = absence
        self.text = text
        self.example = example
        self.needsRestart = needsRestart
    }
}

/// What holds where a key is not written.
public enum KeyAbsence: Sendable, Hashable {
    /// The file is refused; what the hint then says.
    case refused(hint: String)
    /// The file is refused, with an exception: when it may be absent, and what the hint says otherwise.
    case refusedUnless(String, hint: String)
    /// As if this were written.
    case value(String)
    /// What is then the case: the end of a sentence that begins with "without it".
    case meaning(String)

    static func value(_ duration: Duration) -> KeyAbsence { .value(Quantity.text(of: duration)) }

    static func value(ofBytes count: Int) -> KeyAbsence { .value(Quantity.text(ofBytes: count)) }

    static func value(_ number: Int) -> KeyAbsence { .value("\(number)") }

    /// Whether the file is refused without the key, whatever else it says.
    var isRefused: Bool {
        if case .refused = self { true } else { false }
    }

    /// What the hint says where the key is missing and must not be.
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

/// A mapping of the file whose keys are known.
public struct SectionReference: Sendable {
    public let title: String
    /// What it is, in one or two sentences.
    public let text: String
    // Sections name each other, so each is made when it is asked for.
    private let makeKeys: @Sendable () -> [NamedKey]

    /// In the order in which they are shown.
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
