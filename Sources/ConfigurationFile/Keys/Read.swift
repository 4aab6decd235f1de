/// Result of reading a key.
enum Read<Value> {
    case absent
    /// The value is invalid, and this was reported. It must not count as absent.
    case wrong
    case value(Value)
}

extension Sequence {
    /// Reads each element. Nil if one is invalid; the others are read nevertheless, and report their problems.
    func readEach<Result>(_ read: (Element) -> Result?) -> [Result]? {
        let results = map(read)
        let found = results.compactMap(\.self)
        return found.count == results.count ? found : nil
    }
}

extension Read {
    /// Wraps the result of a reader. Nil means that an invalid value was reported.
    init(_ value: Value?) {
        self = value.map { .value($0) } ?? .wrong
    }

    /// Value if there is one. Nil if absent or wrong. Use it only where reading continues to find further problems.
    var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    var isWrong: Bool {
        if case .wrong = self { true } else { false }
    }

    /// Value if there is one, or the fallback if absent. Nil if wrong.
    func or(_ fallback: @autoclosure () -> Value?) -> Value? {
        switch self {
        case .absent: fallback()
        case .wrong: nil
        case .value(let value): value
        }
    }

    func map<Other>(_ transform: (Value) -> Other) -> Read<Other> {
        switch self {
        case .absent: .absent
        case .wrong: .wrong
        case .value(let value): .value(transform(value))
        }
    }

    /// Sets the target if there is a value. Otherwise the target keeps its value.
    func assign(to target: inout Value) {
        if case .value(let value) = self { target = value }
    }
}
