import StrictJSON
import Testing

struct JSONValueTests {
    private static func root(_ text: String) throws -> JSONValue {
        try JSONDocument(parsing: Array(text.utf8), limits: .claimsSet).root
    }

    @Test func `a JSON value has exactly one type`() throws {
        let root = try Self.root(#"[null,true,false,7,1.5,"s",[1],{"a":1}]"#)
        #expect(root.elements.map(\.kind) == [.null, .boolean, .boolean, .integer, .real, .string, .array, .object])
        #expect(root.elements.map(\.isNull) == [true, false, false, false, false, false, false, false])
        #expect(root.elements.map(\.boolean) == [nil, true, false, nil, nil, nil, nil, nil])
        #expect(root.elements.map(\.integer) == [nil, nil, nil, 7, nil, nil, nil, nil])
        #expect(root.elements.map(\.real) == [nil, nil, nil, 7, 1.5, nil, nil, nil])
        #expect(root.elements.map(\.string) == [nil, nil, nil, nil, nil, "s", nil, nil])
        #expect(root.elements.map(\.count) == [0, 0, 0, 0, 0, 0, 1, 1])
        #expect(root.elements.map { value in Array(value.members).count } == [0, 0, 0, 0, 0, 0, 0, 1])
        #expect(root.elements.map { value in Array(value.elements).count } == [0, 0, 0, 0, 0, 0, 1, 0])
    }

    @Test func `a number with a fraction or an exponent is a real even if it is whole`() throws {
        let root = try Self.root("[1.0,1e3,-0.0]")
        #expect(root.elements.map(\.integer) == [nil, nil, nil])
        #expect(root.elements.map(\.real) == [1, 1000, 0])
    }

    @Test func `members are returned in the order of the text`() throws {
        let names = (0..<60).map { number in "name\(number * 7919 % 60)" }
        let text = "{" + names.map { name in "\"\(name)\":\"\(name)\"" }.joined(separator: ",") + "}"
        let members = Array(try Self.root(text).members)
        #expect(members.map(\.name) == names)
        #expect(members.map(\.value.string) == names)
    }

    @Test func `members are found by name and elements by index`() throws {
        let root = try Self.root(#"{"a":{"b":[10,20]},"":1,"é":2}"#)
        #expect(root["a"]?["b"]?[index: 1]?.integer == 20)
        #expect(root[member: "a"]?[member: "b"]?.count == 2)
        #expect(root[""]?.integer == 1)
        #expect(root["é"]?.integer == 2)
        #expect(root["e\u{301}"] == nil)
        #expect(root["A"] == nil)
        #expect(root["a"]?["b"]?[index: 2] == nil)
        #expect(root["a"]?["b"]?[index: -1] == nil)
        #expect(root[index: 0] == nil)
        #expect(root["a"]?["b"]?["c"] == nil)
    }

    @Test func `JSON strings are compared by bytes`() throws {
        let root = try Self.root(#"["caf\u00e9","", 7]"#)
        let value = try #require(root[index: 0])
        #expect(value.isString(equalTo: "caf\u{E9}"))
        #expect(!value.isString(equalTo: "cafe\u{301}"))
        #expect(value.isString(equalTo: StaticString("caf\u{E9}")))
        #expect(value.isString(equalTo: Array("caf\u{E9}".utf8)))
        #expect(!value.isString(equalTo: "caf"))
        #expect(root[index: 1]?.isString(equalTo: "") == true)
        #expect(root[index: 2]?.isString(equalTo: "7") == false)
        #expect(value.withStringBytes { bytes in bytes.count } == 5)
        #expect(root[index: 2]?.withStringBytes { bytes in bytes.count } == .some(nil))
    }

    @Test func `a value keeps its document alive`() throws {
        var value = try Self.root(#"{"a":[{"b":"here"}]}"#)["a"]?[index: 0]?["b"]
        for _ in 0..<100 { _ = try Self.root(#"{"a":["overwritten"]}"#) }
        #expect(value?.string == "here")
        value = nil
    }

    @Test(arguments: [
        (#"{ "b" : 1 , "a" : [ true , null , -2.50 ] }"#, #"{"b":1,"a":[true,null,-2.5]}"#),
        ("[ ]", "[]"),
        ("{ }", "{}"),
        (#"["\u0041\/\n\"\\\u001f\u007f\u2028é"]"#, #"["A/\n\"\\\u001f\u007f\u2028é"]"#),
        ("[0.1,1e300,1E-7,9007199254740993]", "[0.1,1e+300,1e-07,9007199254740993]"),
    ])
    func `a JSON value is written without white space`(text: String, expected: String) throws {
        #expect(String(decoding: try Self.root(text).serialized(), as: UTF8.self) == expected)
    }

    @Test func `a scalar value can be written alone`() throws {
        let root = try Self.root(#"["a b",17,false]"#)
        #expect(
            root.elements.map { value in String(decoding: value.serialized(), as: UTF8.self) } == [
                #""a b""#, "17", "false",
            ])
    }
}
