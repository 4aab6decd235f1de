import StrictJSON
import Testing

/// Integers beyond `Int64`: they become reals that equal nothing, and other integers stay exact beside them.
struct OddIntegersTests {
    private static func root(_ text: String) throws -> JSONValue {
        try JSONDocument(parsing: Array(text.utf8), limits: .claimsSet).root
    }

    private static func text(_ value: JSONValue?) -> String? {
        value?.oddInteger.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("9223372036854775808", 9.2e18, 9.3e18), ("-9223372036854775809", -9.3e18, -9.2e18),
        ("18446744073709551616", 1.8e19, 1.9e19),
        (String(repeating: "9", count: 308), 9.9e307, .greatestFiniteMagnitude),
        ("-" + String(repeating: "9", count: 309), -.greatestFiniteMagnitude, -.greatestFiniteMagnitude),
        (String(repeating: "1", count: 400), .greatestFiniteMagnitude, .greatestFiniteMagnitude),
    ])
    func `an integer beyond 64 bits becomes a real of its magnitude, and keeps its text (T129)`(
        integer: String, least: Double, most: Double
    ) throws {
        for text in ["[\(integer)]", "[1, \(integer) ]", #"{"a":[{"b":1.5,"c":\#(integer)}]}"#] {
            let root = try Self.root(text)
            let value = try #require(root["a"]?[index: 0]?["c"] ?? root[index: root.count - 1])
            #expect(value.kind == .real && value.integer == nil && value.isBeyondInteger)
            #expect(Self.text(value) == integer)
            #expect((least...most).contains(try #require(value.real)), "\(text)")
            #expect(value.serialized() == Array(integer.utf8))
        }
    }

    @Test func `integers that fit into 64 bits stay exact beside one that does not`() throws {
        let root = try Self.root(
            "[9223372036854775807,9223372036854775808,-9223372036854775808,9007199254740993,0,1.0]")
        #expect(root.elements.map(\.integer) == [.max, nil, .min, 9_007_199_254_740_993, 0, nil])
        #expect(root.elements.map(\.isBeyondInteger) == [false, true, false, false, false, false])
        #expect(root.elements.map(\.oddInteger).count { $0 != nil } == 1)
    }

    @Test func `minus zero is not an integer, and not beyond 64 bits`() throws {
        let root = try Self.root(#"{"a":-0,"b":0,"c":-0.0,"d":-10}"#)
        #expect(root["a"]?.kind == .real && root["a"]?.real == 0 && root["a"]?.integer == nil)
        #expect(Self.text(root["a"]) == "-0" && root["a"]?.isBeyondInteger == false)
        #expect(root["b"]?.integer == 0 && root["d"]?.integer == -10)
        #expect(root["c"]?.kind == .real && root["c"]?.oddInteger == nil)
    }

    @Test func `long digit sequences in strings and names are not read as integers`() throws {
        let digits = String(repeating: "7", count: 40)
        let root = try Self.root(#"{"\#(digits)":"\#(digits)","x":"\"-0,\#(digits)","y":\#(digits)}"#)
        #expect(root[digits]?.string == digits)
        #expect(root["x"]?.string == "\"-0,\(digits)")
        #expect(Self.text(root["y"]) == digits)
    }

    @Test(arguments: [
        "00000000000000000000", "-00000000000000000000", "01234567890123456789", "-01234567890123456789", "-", "--1",
        "1-2",
    ])
    func `text that is no number is refused, even beside odd integers`(text: String) {
        #expect(throws: JSONRejection.self) { try Self.root("[\(text)]") }
    }

    @Test func `ten thousand integers beyond 64 bits are read in linear time`() throws {
        let count = 10_000
        let text = "[" + (0..<count).map { "1\(String(repeating: "0", count: 18))\($0)" }.joined(separator: ",") + "]"
        let root = try Self.root(text)
        #expect(root.count == count)
        #expect(root.serialized() == Array(text.utf8))
    }
}
