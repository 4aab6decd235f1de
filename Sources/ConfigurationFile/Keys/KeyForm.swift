/// Form of a key's value, with the function that reads it and the one that describes a default.
struct KeyForm<Result>: Sendable {
    let form: ValueForm
    /// Reads a value. Reports what is wrong and then returns nil.
    let read: @Sendable (Value) -> Result?
    let absence: @Sendable (Result) -> KeyAbsence

    init(
        _ form: ValueForm, _ read: @escaping @Sendable (Value) -> Result?,
        absence: @escaping @Sendable (Result) -> KeyAbsence = { .value("\($0)") }
    ) {
        self.form = form
        self.read = read
        self.absence = absence
    }

    /// Converts the values that are read; the form in the file stays the same.
    ///
    /// - Parameter absence: describes a default.
    func map<Other>(
        absence: @escaping @Sendable (Other) -> KeyAbsence = { .value("\($0)") },
        _ transform: @escaping @Sendable (Result) -> Other
    ) -> KeyForm<Other> {
        let read = read
        return KeyForm<Other>(form, { read($0).map(transform) }, absence: absence)
    }
}

extension KeyForm where Result == Int {
    static func integer(_ range: ClosedRange<Int>) -> KeyForm {
        KeyForm(.integer(range), { $0.integer(in: range) }, absence: { .value($0) })
    }

    /// Form of a size, read in bytes.
    static func size(_ range: ClosedRange<Int>) -> KeyForm {
        KeyForm(.size(range), { $0.byteCount(in: range) }, absence: { .value(ofBytes: $0) })
    }

    /// Form of a number whose 0 is written `off`.
    static func zeroIfOff(_ form: KeyForm) -> KeyForm {
        KeyForm(.orOff(form.form), { $0.isOff ? 0 : form.read($0) }, absence: form.absence)
    }
}

extension KeyForm where Result == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> KeyForm {
        KeyForm(.duration(range), { $0.duration(in: range) }, absence: { .value($0) })
    }
}

extension KeyForm where Result == String {
    /// - Parameter what: description of the text, such as "a path".
    static func text(_ what: String) -> KeyForm {
        KeyForm(.text(what)) { $0.someText(expected: what) }
    }
}

extension KeyForm where Result == Bool {
    static var boolean: KeyForm { KeyForm(.boolean) { $0.boolean() } }
}

extension KeyForm where Result: RawRepresentable<String> & CaseIterable & SendableMetatype {
    /// Form of a word from a closed list.
    static var word: KeyForm {
        KeyForm(.words(of: Result.self), { $0.word(Result.self) }, absence: { .value($0.rawValue) })
    }
}

extension KeyForm where Result: Defaulted & SendableMetatype {
    /// Form of a section whose keys each set a part of the value.
    static func settings<Keys: SectionKeys>(_ keys: Keys.Type) -> KeyForm {
        KeyForm(.section(Keys.section)) { value in
            var settings = Result.defaults
            guard let section = Section(value, of: Keys.self), section.assign(to: &settings) else { return nil }
            return settings
        }
    }
}

extension KeyForm {
    /// Form of a bound, or `off` for no bound. The value is nil for `off`.
    static func orOff<Bound>(_ form: KeyForm<Bound>) -> KeyForm where Result == Bound? {
        KeyForm(
            .orOff(form.form), { $0.isOff ? .some(nil) : form.read($0).map { .some($0) } },
            absence: { $0.map(form.absence) ?? .meaning("there is no bound") })
    }
}
