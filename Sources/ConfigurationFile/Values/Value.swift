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
            value.tell(.error, at: value.keyPosition, message, hint: hint)
        }

        func noteKey(_ message: String, hint: String? = nil) {
            value.tell(.note, at: value.keyPosition, message, hint: hint)
        }

        func warnKey(_ message: String, hint: String? = nil) {
            value.tell(.warning, at: value.keyPosition, message, hint: hint)
        }

        /// Reports a problem with the key itself. Nil, as the result of its reader is.
        func refuseKey<Result>(_ message: String, hint: String? = nil) -> Result? {
            reportKey(message, hint: hint)
            return nil
        }
    }

    func report(_ message: String, hint: String? = nil) {
        tell(.error, at: node.position, message, hint: hint)
    }

    /// Reports a problem. Nil, as the result of its reader is.
    func refuse<Result>(_ message: String, hint: String? = nil) -> Result? {
        report(message, hint: hint)
        return nil
    }

    func warn(_ message: String, hint: String? = nil) {
        tell(.warning, at: node.position, message, hint: hint)
    }

    /// Warns of what comes or goes with time alone.
    func warnOfTime(_ message: String, hint: String? = nil) {
        tell(.warning, at: node.position, message, hint: hint, followsTheClock: true)
    }

    /// A problem with something that is missing below this value; stands where its key does.
    func reportMissing(_ message: String, hint: String? = nil) {
        tell(.error, at: keyPosition, message, hint: hint)
    }

    /// Reports something that is missing below this value. Nil, as the result of its reader is.
    func refuseMissing<Result>(_ message: String, hint: String? = nil) -> Result? {
        reportMissing(message, hint: hint)
        return nil
    }

    /// A problem with what a text, or the key of a mapping, says.
    func reportPlace(_ message: String, hint: String? = nil) {
        tell(.error, at: place, message, hint: hint)
    }

    /// Where a text stands, or the key of a mapping.
    var place: Position { isMapping ? keyPosition : node.position }

    func warnPlace(_ message: String, hint: String? = nil) {
        tell(.warning, at: place, message, hint: hint)
    }

    /// Tells what is not wrong, and perhaps not known.
    func notePlace(_ message: String, hint: String? = nil) {
        tell(.note, at: place, message, hint: hint)
    }

    private func tell(
        _ severity: Problem.Severity, at position: Position, _ message: String, hint: String?,
        followsTheClock: Bool = false
    ) {
        reading.report(
            Problem(
                severity, at: position, keyPath: path.description, message: message, hint: hint,
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

    /// The members of a mapping, in file order.
    ///
    /// - Parameter hint: what to write in place of a text or a list.
    func members(expected: String = "a mapping", hint: () -> String? = { nil }) -> [Member]? {
        guard case .mapping(let members) = node.content else { return refuseShape(expected: expected, hint: hint) }
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
        default: return refuseShape(expected: expected)
        }
    }

    /// The elements of a list that must not be empty.
    func someElements(of what: String, expected: String = "text or a list") -> [Value]? {
        guard let elements = elements(expected: expected) else { return nil }
        guard !elements.isEmpty else { return refuse("the list is empty", hint: "name at least one \(what)") }
        return elements
    }

    /// The value alone if it is a mapping; else the elements of a list that must not be empty.
    func mappingOrElements(of what: String, expected: String) -> [Value]? {
        isMapping ? [self] : someElements(of: what, expected: expected)
    }

    // MARK: Text

    /// The scalar's own characters, whatever YAML makes of them.
    func text(expected: String = "text") -> String? {
        scalar(expected: expected)?.text
    }

    func someText(expected: String = "text") -> String? {
        guard let text = text(expected: expected) else { return nil }
        guard !text.isEmpty else { return refuse("must not be empty") }
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
