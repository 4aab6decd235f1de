/// Keys of one section of the file: a stored property for each, in the order in which they are shown.
///
/// Readers access keys by property. So every key that is read is also in the reference and in the schema.
protocol SectionKeys: Sendable {
    init()

    static var section: SectionReference { get }
    /// Natural keys: those that are meant if text or a list is written instead of the section. The first one that
    /// accepts the value gets it. By default the natural keys are those that are always required.
    var natural: [any SectionKey] { get }
}

extension SectionKeys {
    var all: [any SectionKey] { Mirror(reflecting: self).children.compactMap { $0.value as? any SectionKey } }

    var natural: [any SectionKey] {
        all.filter(\.reference.absence.isRefused)
    }

    static var named: [NamedKey] { Self().all.map(\.named) }

    static var names: [String] { Self().all.map(\.name) }
}

/// One key of a section.
protocol SectionKey: Sendable {
    var name: String { get }
    var reference: KeyReference { get }
}

extension SectionKey {
    var named: NamedKey { NamedKey(name: name, reference: reference) }
}

/// A key with the type of its value.
struct Key<Result>: SectionKey {
    let name: String
    var reference: KeyReference
    let read: @Sendable (Value) -> Result?
    /// Result if the key is not written: its default, or absent.
    let fallback: @Sendable () -> Read<Result>

    init(
        _ name: String, _ form: KeyForm<Result>, _ absence: KeyAbsence, _ text: String, example: String,
        needsRestart: Bool = false
    ) {
        self.name = name
        read = form.read
        fallback = { .absent }
        reference = KeyReference(form.form, absence, text, example: example, needsRestart: needsRestart)
    }
}

extension Key where Result: Sendable {
    /// Makes a key with a default.
    init(_ name: String, _ form: KeyForm<Result>, default value: Result, _ text: String, example: String) {
        self.name = name
        read = form.read
        fallback = { .value(value) }
        reference = KeyReference(form.form, form.absence(value), text, example: example)
    }
}

extension Key where Result == Value {
    /// Makes a key whose value is parsed by the reader of its section.
    init(
        _ name: String, form: ValueForm, _ absence: KeyAbsence, _ text: String, example: String,
        needsRestart: Bool = false
    ) {
        self.init(
            name, KeyForm(form, { $0 }), absence, text, example: example, needsRestart: needsRestart)
    }

    /// Makes a key from an existing description.
    init(_ name: String, _ reference: KeyReference) {
        self.name = name
        self.reference = reference
        read = { $0 }
        fallback = { .absent }
    }
}

/// Key that sets one property of a target. Without the key the property keeps its default.
struct Setting<Target: Defaulted, Result>: SectionKey, TargetKey {
    private let key: Key<Result>
    private let property: any WritableKeyPath<Target, Result> & Sendable

    var name: String { key.name }
    var reference: KeyReference { key.reference }

    /// - Parameter absence: description of the behaviour without the key. Nil if the property's default describes it.
    init(
        _ name: String, _ property: any WritableKeyPath<Target, Result> & Sendable, _ form: KeyForm<Result>,
        without absence: KeyAbsence? = nil, _ text: String, example: String, needsRestart: Bool = false
    ) {
        self.property = property
        key = Key(
            name, form, absence ?? form.absence(Target.defaults[keyPath: property]), text, example: example,
            needsRestart: needsRestart)
    }

    /// Makes a key for a property that is nil without it.
    init<Bound>(
        _ name: String, _ property: any WritableKeyPath<Target, Result> & Sendable, _ form: KeyForm<Bound>,
        without absence: KeyAbsence, _ text: String, example: String, needsRestart: Bool = false
    ) where Result == Bound? {
        let optional: KeyForm<Bound?> = form.map { $0 }
        self.init(name, property, optional, without: absence, text, example: example, needsRestart: needsRestart)
    }

    func assign(_ value: Value, to target: inout Target) -> Bool {
        guard let result = key.read(value) else { return false }
        target[keyPath: property] = result
        return true
    }
}

/// Type of settings with default values, which hold for keys that are not written.
protocol Defaulted {
    static var defaults: Self { get }
}

/// Key that sets a part of a target.
protocol TargetKey<Target>: SectionKey {
    associatedtype Target

    /// Reads the value and sets it. False if it is invalid, which was then reported.
    func assign(_ value: Value, to target: inout Target) -> Bool
}
