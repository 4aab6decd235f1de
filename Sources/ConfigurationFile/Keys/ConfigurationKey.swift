/// The keys of one section of the file. Readers ask by case, so that a key which is read is also in the reference and
/// the schema.
protocol ConfigurationKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    static var section: SectionReference { get }
    var reference: KeyReference { get }
    /// The keys that are meant where a text or a list stands in the section's place: it is the value of the first that
    /// can have it. By default those that are always required.
    static var natural: [Self] { get }
}

extension ConfigurationKey {
    static var named: [NamedKey] { allCases.map(\.named) }

    var named: NamedKey { NamedKey(name: rawValue, reference: reference) }

    static var natural: [Self] {
        allCases.filter { if case .refused = $0.reference.absence { true } else { false } }
    }

    static var names: [String] { allCases.map(\.rawValue) }
}
