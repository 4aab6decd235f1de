import StrictJSON
import TestSupport
import Testing

/// Members taken out of an object, beside those of the whole object when it is parsed.
struct JSONExcerptTests {
    private func excerpt(_ text: String, _ names: [String]) -> String? {
        JSONExcerpt.object(in: Array(text.utf8).span, members: names).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        (#"{"a":1,"b":2,"c":3}"#, ["b"], #"{"b":2}"#),
        (#"{"a":1,"b":2,"c":3}"#, ["c", "a"], #"{"a":1,"c":3}"#),
        (#" { "a" : [1, {"b": 2}] , "b" : "x,}\"" } "#, ["b"], #"{"b" : "x,}\"" }"#),
        (#"{"a":{"b":1},"b":{"a":[{}]}}"#, ["b"], #"{"b":{"a":[{}]}}"#),
        (#"{"\u0062":1,"b\\":2,"c":3}"#, ["b"], #"{"\u0062":1,"b\\":2}"#),
        (#"{"ab":1,"":2}"#, ["a"], "{}"), (#"{"":2}"#, [""], #"{"":2}"#), ("{}", ["a"], "{}"),
    ])
    func `an excerpt has the members that are asked for`(text: String, names: [String], expected: String) {
        #expect(excerpt(text, names) == expected)
    }

    @Test(arguments: [
        "", "[]", "1", "\"a\"", "{", #"{"a"#, #"{"a""#, #"{"a":"#, #"{"a":1"#, #"{"a":"b"#, #"{"a":"\"#, "{a:1}",
    ])
    func `what is no whole object has no excerpt`(text: String) {
        #expect(excerpt(text, ["a"]) == nil)
    }

    /// Pieces of values, some of which look like the end of one.
    private static let values = [
        "1", "-2.5e3", "null", "true", #""""#, #""},{\"""#, #""\\""#, #"["]",{"a":"}"},[]]"#,
        #"{"a":{"b":["\"a\":1"]}}"#,
        #""scope\u0022""#, " [ 1 , 2 ] ",
    ]

    @Test func `an excerpt reads like the whole object`() throws {
        var generator = SeededGenerator(seed: 45)
        for _ in 0..<5_000 {
            let names = (0..<Int.random(in: 0..<8, using: &generator)).map { index in
                Bool.random(using: &generator) ? "n\(index)" : #"\u006e"# + "\(index)"
            }
            let members = names.map { name in
                "\"\(name)\"" + ["", " ", "\n"][Int.random(in: 0..<3, using: &generator)] + ":"
                    + Self.values[Int.random(in: Self.values.indices, using: &generator)]
            }
            let text = "{" + members.joined(separator: [",", " , "][Int.random(in: 0..<2, using: &generator)]) + "}"
            let asked = (0..<8).filter { _ in Bool.random(using: &generator) }.map { "n\($0)" }
            let whole = try JSONDocument(parsing: Array(text.utf8), limits: .claimsSet)
            let taken = excerpt(text, asked)
            let part = try JSONDocument(parsing: Array(try #require(taken).utf8), limits: .claimsSet)
            for name in asked {
                #expect(part.root[name]?.serialized() == whole.root[name]?.serialized(), "\(name) of \(text)")
            }
        }
    }
}
