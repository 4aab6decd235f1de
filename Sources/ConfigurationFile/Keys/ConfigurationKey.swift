/// The keys of one section of the file. Readers ask by case, so that a key which is read is also in the reference and the schema.
protocol ConfigurationKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    static var section: SectionReference { get }
    var reference: KeyReference { get }
}

extension ConfigurationKey {
    static var named: [NamedKey] { allCases.map(\.named) }

    var named: NamedKey { NamedKey(name: rawValue, reference: reference) }

    static var names: [String] { allCases.map(\.rawValue) }
}
