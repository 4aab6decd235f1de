/// What came of reading a key.
enum Read<Value> {
    case absent
    /// What is written is wrong, and was reported. It must not pass for absent.
    case wrong
    case value(Value)
}

extension Sequence {
    /// Reads each element. Nil if one is wrong; the others are read all the same, and report what is wrong.
    func readEach<Result>(_ read: (Element) -> Result?) -> [Result]? {
        let results = map(read)
        let found = results.compactMap(\.self)
        return found.count == results.count ? found : nil
    }
}

extension Read {
    /// Nil, after a report, is wrong.
    init(_ value: Value?) {
        self = value.map { .value($0) } ?? .wrong
    }

    /// Nil: absent or wrong. For what is read on only for its problems.
    var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    var isWrong: Bool {
        if case .wrong = self { true } else { false }
    }

    /// The value, or what holds without one; nil: wrong.
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

    /// Without a value the target stays as it is.
    func assign(to target: inout Value) {
        if case .value(let value) = self { target = value }
    }
}
