/// Reads the parameters of a profile and collects their problems.
///
/// Every getter returns nil for an absent parameter and for an invalid one; only the invalid one is added to
/// `problems`. The caller reports a required parameter that is absent, because it knows the position in the file.
struct ParameterReading: Sendable {
    private let values: [String: ParameterValue]
    private(set) var problems: [ProfileProblem] = []

    init(_ values: [String: ParameterValue]) {
        self.values = values
    }

    /// Whether at least one parameter read so far is invalid, so that no issuer can be made.
    var hasErrors: Bool { problems.contains { $0.severity == .error } }

    func isGiven(_ name: String) -> Bool { values[name] != nil }

    mutating func text(_ name: String) -> String? {
        guard let value = values[name] else { return nil }
        guard case .text(let text) = value else { return mistaken(name, "must be a text") }
        return isPlain(text, name) ? text : nil
    }

    /// Reads a list of texts, or one text as a list of one. An empty list and duplicates are errors. Nil if the
    /// parameter is absent or invalid; an invalid one is reported.
    mutating func texts(_ name: String) -> [String]? {
        switch values[name] {
        case nil: return nil
        case .text(let text): return isPlain(text, name) ? [text] : nil
        case .texts(let texts): return plain(texts, name)
        case .boolean, .duration: return mistaken(name, "must be a text or a list of texts")
        }
    }

    mutating func boolean(_ name: String, default absent: Bool = false) -> Bool {
        guard let value = values[name] else { return absent }
        guard case .boolean(let truth) = value else { return mistaken(name, "must be `true` or `false`") ?? absent }
        return truth
    }

    /// Reads a duration; it must be longer than zero. Nil if the parameter is absent or invalid; an invalid one is
    /// reported.
    mutating func duration(_ name: String) -> Duration? {
        guard let value = values[name] else { return nil }
        guard case .duration(let duration) = value else { return mistaken(name, "must be a time such as `30s`") }
        return duration > .zero
            ? duration : mistaken(name, "must be longer than zero", hint: "leave it out for no bound")
    }

    /// Reads one of the raw values of an enum. Nil if the parameter is absent or invalid; an invalid one is reported.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ name: String) -> Choice?
    where Choice.RawValue == String {
        guard let word = text(name) else { return nil }
        if let choice = Choice(rawValue: word) { return choice }
        let words = Choice.allCases.map { "`\($0.rawValue)`" }
        return mistaken(name, "cannot be `\(word)`", hint: "write \(words.joined(separator: " or "))")
    }

    private mutating func plain(_ texts: [String], _ name: String) -> [String]? {
        guard !texts.isEmpty else {
            return mistaken(name, "is an empty list", hint: "write at least one, or leave it out")
        }
        var seen: Set<[UInt8]> = []
        var areGood = true
        for (index, text) in texts.enumerated() {
            areGood = isPlain(text, name, index) && areGood
            guard !seen.insert(Array(text.utf8)).inserted else { continue }
            error(name, index: index, "has `\(text)` twice", hint: "write it once")
            areGood = false
        }
        return areGood ? texts : nil
    }

    /// Reports a text that is empty or has white space or control characters, which no parameter has. Returns true for
    /// any other text.
    private mutating func isPlain(_ text: String, _ name: String, _ index: Int? = nil) -> Bool {
        guard !text.isEmpty else { return refuse(name, index, "is empty") }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return refuse(name, index, "has a space or a control character")
        }
        return true
    }

    private mutating func refuse(_ name: String, _ index: Int?, _ message: String) -> Bool {
        error(name, index: index, message)
        return false
    }
}

extension ParameterReading {
    mutating func error(_ parameter: String?, index: Int? = nil, _ message: String, hint: String? = nil) {
        problems.append(ProfileProblem(.error, parameter, index: index, message, hint: hint))
    }

    mutating func warning(_ parameter: String?, index: Int? = nil, _ message: String, hint: String? = nil) {
        problems.append(ProfileProblem(.warning, parameter, index: index, message, hint: hint))
    }

    /// Reports an error and returns nil, so that a caller can write `return mistaken(…)`.
    mutating func mistaken<Value>(_ parameter: String, index: Int? = nil, _ message: String, hint: String? = nil)
        -> Value?
    {
        error(parameter, index: index, message, hint: hint)
        return nil
    }
}
