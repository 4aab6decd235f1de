/// A value of the file on its way to a value of the program.
///
/// Every accessor reports what is wrong and then returns nil, so that readers go on and find the rest.
struct Value {
    let node: DocumentNode
    let path: DocumentPath
    /// Where its key stands; its own place for an element of a list.
    let keyPosition: Position
    let reading: Reading

    struct Member {
        let key: String
        let value: Value

        /// The key from its first slash; empty without one.
        var path: Substring { key.fromFirstSlash }

        /// Reports a problem with the key itself.
        func reportKey(_ message: String, hint: String? = nil) {
            value.reading.report(
                Problem(.error, at: value.keyPosition, keyPath: value.path.description, message: message, hint: hint),
            )
        }

        func noteKey(_ message: String, hint: String? = nil) {
            value.reading.report(
                Problem(.note, at: value.keyPosition, keyPath: value.path.description, message: message, hint: hint),
            )
        }

        func warnKey(_ message: String, hint: String? = nil) {
            value.reading.report(
                Problem(.warning, at: value.keyPosition, keyPath: value.path.description, message: message, hint: hint),
            )
        }
    }

    func report(_ message: String, hint: String? = nil) {
        reading.report(Problem(.error, at: node.position, keyPath: path.description, message: message, hint: hint))
    }

    func warn(_ message: String, hint: String? = nil) {
        reading.report(Problem(.warning, at: node.position, keyPath: path.description, message: message, hint: hint))
    }

    /// Warns of what comes or goes with time alone.
    func warnOfTime(_ message: String, hint: String? = nil) {
        reading.report(
            Problem(
                .warning, at: node.position, keyPath: path.description, message: message, hint: hint,
                followsTheClock: true))
    }

    /// A problem with something that is missing below this value; stands where its key does.
    func reportMissing(_ message: String, hint: String? = nil) {
        reading.report(Problem(.error, at: keyPosition, keyPath: path.description, message: message, hint: hint))
    }

    /// A problem with what a text, or the key of a mapping, says.
    func reportPlace(_ message: String, hint: String? = nil) {
        reading.report(Problem(.error, at: place, keyPath: path.description, message: message, hint: hint))
    }

    /// Where a text stands, or the key of a mapping.
    var place: Position { isMapping ? keyPosition : node.position }

    func warnPlace(_ message: String, hint: String? = nil) {
        reading.report(Problem(.warning, at: place, keyPath: path.description, message: message, hint: hint))
    }

    /// Tells what is not wrong, and perhaps not known.
    func notePlace(_ message: String, hint: String? = nil) {
        reading.report(Problem(.note, at: place, keyPath: path.description, message: message, hint: hint))
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

    /// The members of a mapping, in file order.
    ///
    /// - Parameter hint: what to write in place of a text or a list.
    func members(expected: String = "a mapping", hint: () -> String? = { nil }) -> [Member]? {
        guard case .mapping(let members) = node.content else {
            reportShape(expected: expected, hint: hint)
            return nil
        }
        return members.map { member in
            let value = Value(
                node: member.value, path: path.key(member.key), keyPosition: member.keyPosition, reading: reading)
            return Member(key: member.key, value: value)
        }
    }

    /// The elements of a list; a single text is a list of one.
    func elements(expected: String = "text or a list") -> [Value]? {
        switch node.content {
        case .scalar(let scalar) where !scalar.isAbsent: return [self]
        case .sequence(let elements):
            return elements.enumerated().map { index, element in
                Value(node: element, path: path.index(index), keyPosition: element.position, reading: reading)
            }
        default:
            reportShape(expected: expected)
            return nil
        }
    }

    /// The elements of a list that must not be empty.
    func someElements(of what: String, expected: String = "text or a list") -> [Value]? {
        guard let elements = elements(expected: expected) else { return nil }
        guard !elements.isEmpty else {
            report("the list is empty", hint: "name at least one \(what)")
            return nil
        }
        return elements
    }

    // MARK: Text

    /// The scalar's own characters, whatever YAML makes of them.
    func text(expected: String = "text") -> String? {
        scalar(expected: expected)?.text
    }

    func someText(expected: String = "text") -> String? {
        guard let text = text(expected: expected) else { return nil }
        guard !text.isEmpty else {
            report("must not be empty")
            return nil
        }
        return text
    }

    /// The texts of a list or of a single text; those that are none are reported and left out.
    func texts(of what: String) -> [String]? {
        someElements(of: what)?.compactMap { $0.someText() }
    }

    /// One of the words of a closed list.
    func word<Word: RawRepresentable & CaseIterable>(_ type: Word.Type) -> Word? where Word.RawValue == String {
        let words = type.allCases.map { "`\($0.rawValue)`" }.joined(separator: " or ")
        guard let text = text(expected: words) else { return nil }
        guard let word = Word(rawValue: text) else {
            report("`\(text)` is not known here", hint: "write \(words)")
            return nil
        }
        return word
    }

    func scalar(expected: String) -> ScalarText? {
        guard case .scalar(let scalar) = node.content, !scalar.isAbsent else {
            reportShape(expected: expected)
            return nil
        }
        return scalar
    }

    private func reportShape(expected: String, hint: () -> String? = { nil }) {
        switch node.content {
        case .unusable: break
        case .scalar(let scalar) where scalar.isAbsent: reportMissing("has no value", hint: "write \(expected)")
        case .scalar: report("expected \(expected), found text", hint: hint())
        case .sequence: report("expected \(expected), found a list", hint: NamedElement(firstOf: node)?.hint ?? hint())
        case .mapping:
            let hint = unquotedText.map { "quote text that begins with `{`: \"\($0)\"" }
            report("expected \(expected), found a mapping", hint: hint)
        }
    }

    /// `{name}` without quotes, which is a mapping with a key and no value. Nil for anything else.
    var unquotedText: String? {
        guard case .mapping(let members) = node.content, let only = members.first, members.count == 1,
            case .scalar(let scalar) = only.value.content, scalar.isAbsent
        else { return nil }
        return "{\(only.key)}"
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The text from its first slash; empty without one. A combining character does not hide the slash before it.
    var fromFirstSlash: Substring { self[(utf8.firstIndex(of: UInt8(ascii: "/")) ?? endIndex)...] }
}
