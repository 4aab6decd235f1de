import PolicyOracle

extension PolicyGenerator {
    /// A token value that matches a value of the file.
    mutating func value(of listed: ClaimDemand.Value) -> JSON {
        switch listed {
        case .text(let text): .text(text)
        case .integer(let number):
            number == 42
                ? pick([.integer(42), .text("42")])
                : pick([.integer(number), .number("\(number).0"), .number("\(number)e0")])
        case .number(let spelling): .number(spelling)
        case .boolean(let value): .boolean(value)
        case .pattern(let pattern): .text(text(of: pattern.text))
        }
    }

    /// A text that the pattern matches, or nearly.
    private mutating func text(of pattern: String) -> String {
        let narrow = pick(["s", "site", "a*c", "", "a/b", "a:b", "a"])
        let wide = pick(["s", "fix/7", "a:b/c", ""])
        return pattern.replacing(#"\*"#, with: "\u{1}").replacing(#"\\"#, with: #"\"#).replacing("**", with: "\u{2}")
            .replacing("*", with: narrow).replacing("\u{2}", with: wide).replacing("\u{1}", with: "*")
    }

    /// A value that differs from the listed ones, in most cases.
    mutating func anotherValue(than demand: ClaimDemand) -> JSON {
        let others = demand.values.flatMap { listed -> [JSON] in
            switch listed {
            case .text(let text): [.text(text.uppercased()), .text("member"), .texts(["member", "staff"])]
            case .integer(let number): [.integer(number + 1), .number("\(number).5")]
            case .number: [.number("7.5"), .integer(7)]
            case .boolean(let value): [.boolean(!value)]
            case .pattern: [.text("else"), .texts(["acme/", "b"])]
            }
        }
        return pick(demand.path.text == "sub" ? [.text("s-2"), .integer(43)] : others + [.array([])])
    }

    /// A value similar to a listed one: of another type, in another case, longer, or nested.
    mutating func nearMiss(of demand: ClaimDemand) -> JSON? {
        let value = value(of: pick(demand.values))
        if demand.path.text == "sub" { return pick([.text("043"), .integer(43), .text("S-1"), nil]) }
        let others: [JSON?]
        switch value {
        case .text(let text):
            others = [.text(text.uppercased()), .text(text + "x"), .text("x" + text), .text(text + " x"), .text("")]
        case .integer(let number): others = [.integer(number + 1), .text("\(number)"), .number("\(number).25")]
        case .boolean(let value): others = [.boolean(!value), .text("\(value)"), .integer(value ? 1 : 0)]
        case .null, .number, .array, .object: others = [.text("3"), .integer(5)]
        }
        let wrapped: [JSON?] = [
            .array([.array([value])]), .object(["x": value]), .array([value, .integer(7)]), .array([value, .null]),
            .array([.text("x"), .boolean(true), value]), .array([]), .null, nil, .integer(7), .boolean(true),
            .object([:]), .array([.object([:])]),
        ]
        return once(in: 2) ? pick(others) : pick(wrapped)
    }
}
