/// Value of the file that is being converted into a value of the program.
///
/// Every accessor reports what is wrong and then returns nil, so that readers continue and find the remaining problems.
struct Value {
    let node: DocumentNode
    let path: DocumentPath
    /// Position of the value's key. For an element of a list, the element's own position.
    let keyPosition: Position
    let reading: Reading

    struct Member {
        let key: String
        let value: Value

        /// Part of the key from its first slash on; empty without one.
        var path: Substring { key.fromFirstSlash }

        /// Reports an error at the key.
        func reportKey(_ message: String, hint: String? = nil) {
            value.tell(.error, at: value.keyPosition, message, hint: hint)
        }

        func noteKey(_ message: String, hint: String? = nil) {
            value.tell(.note, at: value.keyPosition, message, hint: hint)
        }

        func warnKey(_ message: String, hint: String? = nil) {
            value.tell(.warning, at: value.keyPosition, message, hint: hint)
        }

        /// Reports an error at the key, and returns nil, so that a reader can return the result.
        func refuseKey<Result>(_ message: String, hint: String? = nil) -> Result? {
            reportKey(message, hint: hint)
            return nil
        }
    }

    func report(_ message: String, hint: String? = nil) {
        tell(.error, at: node.position, message, hint: hint)
    }

    /// Reports an error at the value, and returns nil, so that a reader can return the result.
    func refuse<Result>(_ message: String, hint: String? = nil) -> Result? {
        report(message, hint: hint)
        return nil
    }

    /// - Parameter weakens: the setting that weakens a check. Nil if the warning is about something else.
    func warn(_ message: String, hint: String? = nil, weakens: WeakeningSetting? = nil) {
        tell(.warning, at: node.position, message, hint: hint, weakens: weakens)
    }

    /// Reports a warning that only the passing of time makes come or go.
    func warnOfTime(_ message: String, hint: String? = nil) {
        tell(.warning, at: node.position, message, hint: hint, followsTheClock: true)
    }

    /// Reports a note that only the passing of time makes come or go.
    func noteOfTime(_ message: String, hint: String? = nil) {
        tell(.note, at: node.position, message, hint: hint, followsTheClock: true)
    }

    /// Reports an error about something missing below this value, at the value's key.
    func reportMissing(_ message: String, hint: String? = nil) {
        tell(.error, at: keyPosition, message, hint: hint)
    }

    /// Reports an error about something missing below this value, and returns nil, so that a reader can return the
    /// result.
    func refuseMissing<Result>(_ message: String, hint: String? = nil) -> Result? {
        reportMissing(message, hint: hint)
        return nil
    }

    /// Reports an error at ``place``.
    func reportPlace(_ message: String, hint: String? = nil) {
        tell(.error, at: place, message, hint: hint)
    }

    /// Position of the value: of its key for a mapping, of the value itself otherwise.
    var place: Position { isMapping ? keyPosition : node.position }

    func warnPlace(_ message: String, hint: String? = nil, weakens: WeakeningSetting? = nil) {
        tell(.warning, at: place, message, hint: hint, weakens: weakens)
    }

    /// Reports a note at ``place``: nothing is wrong, but the operator may not know it.
    func notePlace(_ message: String, hint: String? = nil) {
        tell(.note, at: place, message, hint: hint)
    }

    private func tell(
        _ severity: Problem.Severity, at position: Position, _ message: String, hint: String?,
        weakens: WeakeningSetting? = nil, followsTheClock: Bool = false
    ) {
        reading.report(
            Problem(
                severity, at: position, keyPath: path.description, message: message, hint: hint, weakens: weakens,
                followsTheClock: followsTheClock))
    }

    // MARK: Shape

    var isScalar: Bool {
        if case .scalar = node.content { true } else { false }
    }

    var isMapping: Bool {
        if case .mapping = node.content { true } else { false }
    }

    var isList: Bool {
        if case .sequence = node.content { true } else { false }
    }

    var isUnusable: Bool {
        if case .unusable = node.content { true } else { false }
    }

    /// Members of a mapping, in file order. Nil for another kind of value, which is reported.
    ///
    /// - Parameter hint: advice for text or a list in place of the mapping.
    func members(expected: String = "a mapping", hint: () -> String? = { nil }) -> [Member]? {
        guard case .mapping(let members) = node.content else { return refuseShape(expected: expected, hint: hint) }
        return members.map { member in
            let value = Value(
                node: member.value, path: path.key(member.key), keyPosition: member.keyPosition, reading: reading)
            return Member(key: member.key, value: value)
        }
    }

    /// Elements of a list. A single text counts as a list of one. Nil for another kind of value, which is reported.
    func elements(expected: String = "text or a list") -> [Value]? {
        switch node.content {
        case .scalar(let scalar) where !scalar.isAbsent: return [self]
        case .sequence(let elements):
            return elements.enumerated().map { index, element in
                Value(node: element, path: path.index(index), keyPosition: element.position, reading: reading)
            }
        default: return refuseShape(expected: expected)
        }
    }

    /// Elements of a list that must not be empty. A single text counts as a list of one. Nil for an empty list or
    /// another kind of value, which is reported.
    func someElements(of what: String, expected: String = "text or a list") -> [Value]? {
        guard let elements = elements(expected: expected) else { return nil }
        guard !elements.isEmpty else { return refuse("the list is empty", hint: "name at least one \(what)") }
        return elements
    }

    /// Elements of a list that must not be empty. A mapping or a single text counts as a list of one. Nil for an empty
    /// list or no value, which is reported.
    func mappingOrElements(of what: String, expected: String) -> [Value]? {
        isMapping ? [self] : someElements(of: what, expected: expected)
    }

    // MARK: Text

    /// Characters of the scalar, without YAML's interpretation as a number or boolean. Nil if the value is no scalar,
    /// which is reported.
    func text(expected: String = "text") -> String? {
        scalar(expected: expected)?.text
    }

    func someText(expected: String = "text") -> String? {
        guard let text = text(expected: expected) else { return nil }
        guard !text.isEmpty else { return refuse("must not be empty") }
        return text
    }

    /// Texts of a list or of a single text. Invalid elements are reported and left out. Nil for an empty list or
    /// another kind of value, which is reported.
    func texts(of what: String) -> [String]? {
        someElements(of: what)?.compactMap { $0.someText() }
    }

    /// Reads one of the raw values of an enum. Nil for any other value, which is reported.
    func word<Word: RawRepresentable & CaseIterable>(_ type: Word.Type) -> Word? where Word.RawValue == String {
        let words = type.allCases.map { "`\($0.rawValue)`" }.joined(separator: " or ")
        guard let text = text(expected: words) else { return nil }
        guard let word = Word(rawValue: text) else {
            return refuse("`\(text)` is not known here", hint: "write \(words)")
        }
        return word
    }

    func scalar(expected: String) -> ScalarText? {
        guard case .scalar(let scalar) = node.content, !scalar.isAbsent else {
            return refuseShape(expected: expected)
        }
        return scalar
    }

    private func refuseShape<Result>(expected: String, hint: () -> String? = { nil }) -> Result? {
        switch node.content {
        case .unusable: break
        case .scalar(let scalar) where scalar.isAbsent: reportMissing("has no value", hint: "write \(expected)")
        case .scalar: report("expected \(expected), found text", hint: hint())
        case .sequence: report("expected \(expected), found a list", hint: NamedElement(firstOf: node)?.hint ?? hint())
        case .mapping:
            let hint = unquotedText.map { "quote text that begins with `{`: \"\($0)\"" }
            report("expected \(expected), found a mapping", hint: hint)
        }
        return nil
    }

    /// Text `{name}` that was written without quotes, which YAML reads as a mapping with one key and no value. Nil for
    /// anything else.
    var unquotedText: String? {
        guard case .mapping(let members) = node.content, let only = members.first, members.count == 1,
            case .scalar(let scalar) = only.value.content, scalar.isAbsent
        else { return nil }
        return "{\(only.key)}"
    }
}

extension StringProtocol where SubSequence == Substring {
    /// Part of the text from its first slash on; empty without one. A combining character does not hide the slash
    /// before it.
    var fromFirstSlash: Substring { self[(utf8.firstIndex(of: UInt8(ascii: "/")) ?? endIndex)...] }
}
