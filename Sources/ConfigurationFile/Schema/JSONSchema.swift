/// JSON Schema (2020-12) of a file, for editors and other programs.
///
/// It describes forms, words and numbers. Rules that depend on other keys, on files or on the environment are checked
/// only by the reader of the file.
public struct JSONSchema: Sendable {
    /// Text of the schema: one JSON document.
    public var text: String { document.text }

    private let document: JSONDocument

    /// Makes the schema of the configuration file.
    public init() {
        self.init(
            "configuration", "The configuration file of Bearward", FileKeys.section, ConfigurationReference.sections)
    }

    /// Schema of a file of policy tests, as `bearward test` reads it.
    public static var ofTests: JSONSchema {
        JSONSchema(
            "tests", "A file of tests for a configuration of Bearward", PolicyTestsKeys.section,
            ConfigurationReference.testSections)
    }

    /// - Parameter name: last part of the schema's identifier, which tells it from other schemas. Nothing is fetched at
    ///   the identifier (RFC 2606 §2).
    private init(_ name: String, _ title: String, _ root: SectionReference, _ sections: [SectionReference]) {
        document = .object([
            ("$schema", "https://json-schema.org/draft/2020-12/schema"),
            ("$id", .string("https://bearward.invalid/schema/\(name).json")), ("title", .string(title)),
            ("$ref", .string(Self.reference(to: root))), ("$defs", .object(Self.definitions(sections))),
        ])
    }

    private static let substitution = "substitution"

    private static func definitions(_ sections: [SectionReference]) -> [(String, JSONDocument)] {
        let substituted: JSONDocument = .object([
            ("description", "Text with a variable of the environment"), ("type", "string"),
            ("pattern", .string(#"\$\{"#)),
        ])
        return [(substitution, substituted)] + sections.map { ($0.title, schema(of: $0)) }
    }

    private static func reference(to section: SectionReference) -> String {
        "#/$defs/" + section.title.replacing(" ", with: "%20")
    }

    private static func schema(of section: SectionReference) -> JSONDocument {
        let keys = section.keys
        let required = keys.filter(\.reference.absence.isRefused).map(\.name)
        var members: [(String, JSONDocument)] = [
            ("description", .string(section.text)), ("type", "object"), ("additionalProperties", false),
            ("properties", .object(keys.map { ($0.name, schema(of: $0.reference)) })),
        ]
        if !required.isEmpty { members.append(("required", .array(required.map { .string($0) }))) }
        return .object(members)
    }

    private static func schema(of key: KeyReference) -> JSONDocument {
        var members: [(String, JSONDocument)] = [("description", .string(description(of: key)))]
        if case .value(let text) = key.absence { members.append(("default", JSONDocument(yaml: text))) }
        members.append(("examples", .array([JSONDocument(yaml: key.example)])))
        return .object(members + schema(of: key.form))
    }

    private static func description(of key: KeyReference) -> String {
        switch key.absence {
        case .refused, .value: key.text
        case .refusedUnless(let exception, _): "\(key.text) Required unless \(exception)."
        case .meaning(let meaning): "\(key.text) Without it \(meaning)."
        }
    }

    private static func schema(of form: ValueForm) -> [(String, JSONDocument)] {
        switch form {
        case .text: [("type", ["string", "number", "boolean"]), ("minLength", 1)]
        case .pattern(_, let pattern): orSubstituted(.object([("type", "string"), ("pattern", .string(pattern))]))
        case .words(let words): orSubstituted(.object([("enum", .array(words.flatMap(spellings)))]))
        case .boolean: orSubstituted(.object([("type", "boolean")]))
        case .integer(let range):
            orSubstituted(
                .object([
                    ("type", "integer"), ("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound)),
                ]),
                .object([("type", "string"), ("pattern", "^[0-9]{1,18}$")]))
        case .duration: quantity("ms|s|m|h|d")
        case .size: quantity("B|KiB|MiB|GiB")
        case .claimValue: [("type", ["string", "number", "boolean"])]
        case .anything: []
        case .list(let element, let mayBeEmpty): list(of: element, mayBeEmpty: mayBeEmpty)
        case .listAlone(let element): array(of: .object(schema(of: element)), least: 1)
        case .mapping(let names, let value): mapping(of: names, to: value)
        case .section(let section): [("$ref", .string(reference(to: section)))]
        case .tagged(let key, let sections): tagged(by: key, sections)
        case .oneOf(let forms): [("anyOf", .array(forms.map { .object(schema(of: $0)) }))]
        }
    }

    /// Accepted JSON values for a word. YAML reads digits without quotes as a number, so a word of digits has two.
    private static func spellings(of word: String) -> [JSONDocument] {
        [.string(word)] + (Double(word) == nil ? [] : [.raw(word)])
    }

    private static func orSubstituted(_ schemas: JSONDocument...) -> [(String, JSONDocument)] {
        [("anyOf", .array(schemas + [.object([("$ref", .string("#/$defs/" + substitution))])]))]
    }

    private static func quantity(_ units: String) -> [(String, JSONDocument)] {
        orSubstituted(
            .object([("const", 0)]), .object([("type", "string"), ("pattern", .string("^(0|[0-9]{1,18}(\(units)))$"))]))
    }

    private static func list(of element: ValueForm, mayBeEmpty: Bool) -> [(String, JSONDocument)] {
        let schema = JSONDocument.object(schema(of: element))
        return [("anyOf", .array([schema, .object(array(of: schema, least: mayBeEmpty ? 0 : 1))]))]
    }

    private static func array(of element: JSONDocument, least: Int) -> [(String, JSONDocument)] {
        [("type", "array"), ("items", element), ("minItems", .number(least))]
    }

    private static func mapping(of names: ValueForm, to value: ValueForm) -> [(String, JSONDocument)] {
        var members: [(String, JSONDocument)] = [
            ("type", "object"), ("additionalProperties", .object(schema(of: value))),
        ]
        if case .pattern(_, let pattern) = names {
            members.append(("propertyNames", .object([("pattern", .string(pattern))])))
        }
        return members
    }

    /// Schema of a section that one key selects. If the key's value is none of the tags, it may come from the
    /// environment. No section is required then.
    private static func tagged(by key: String, _ sections: [ValueForm.TaggedSection]) -> [(String, JSONDocument)] {
        let tags = sections.compactMap(\.tag).map { JSONDocument.string($0) }
        let tag: JSONDocument = .object(orSubstituted(.object([("enum", .array(tags))])))
        let cases = sections.map { choice -> JSONDocument in
            let present: [(String, JSONDocument)] = [("required", .array([.string(key)]))]
            let condition: [(String, JSONDocument)] =
                choice.tag.map { present + [("properties", .object([(key, .object([("const", .string($0))]))]))] }
                ?? [("not", .object(present))]
            return .object([
                ("if", .object(condition)), ("then", .object([("$ref", .string(reference(to: choice.section)))])),
            ])
        }
        return [("type", "object"), ("properties", .object([(key, tag)])), ("allOf", .array(cases))]
    }
}
