import Testing
import YAMLTree

/// Trees of YAML texts, in a written form.
struct YAMLReaderTests {
    /// A node in one line: `"text"` or plain, `[…]`, `{key: value}`, `*alias`, `…` below the deepest level; properties
    /// before it, the location after it.
    private func line(_ node: YAMLNode) -> String {
        let content =
            switch node.content {
            case .scalar(let text, let isPlain): isPlain ? text : "\"\(text)\""
            case .sequence(let nodes): "[\(nodes.map(line).joined(separator: ", "))]"
            case .mapping(let members):
                "{\(members.map { "\(line($0.key)): \(line($0.value))" }.joined(separator: ", "))}"
            case .alias(let name): "*\(name)"
            case .tooDeep: "…"
            }
        return (node.anchor.map { "&\($0) " } ?? "") + (node.hasTag ? "! " : "") + content
            + "@\(node.mark.line):\(node.mark.column)"
    }

    private func tree(_ text: String, deepest: Int = 10) throws -> String? {
        var reader = YAMLReader(text.utf8, deepest: deepest)
        return try reader.nextDocument().map(line)
    }

    @Test(
        arguments: [
            ("a: 1\nb: 'x'\n", "{a@1:1: 1@1:4, b@2:1: \"x\"@2:4}@1:1"),
            ("- a\n- [b, \"c\"]\n", "[a@1:3, [b@2:4, \"c\"@2:7]@2:3]@1:1"),
            // A repeated key stays, and so does an unresolved alias.
            ("a: 1\na: 2\n", "{a@1:1: 1@1:4, a@2:1: 2@2:4}@1:1"),
            ("a: &x [1]\nb: *x\n", "{a@1:1: &x [1@1:8]@1:4, b@2:1: *x@2:4}@1:1"), ("*nobody", "*nobody@1:1"),
            ("!!str 1", "! 1@1:1"), ("a: ! x", "{a@1:1: ! x@1:4}@1:1"),
            ("a: !t {b: c}", "{a@1:1: ! {b@1:8: c@1:11}@1:4}@1:1"),
            ("a:\n", "{a@1:1: @1:3}@1:1"), ("ключ: ä", "{ключ@1:1: ä@1:7}@1:1"),
            ("a: |\n  b\n  c\n", "{a@1:1: \"b\nc\n\"@1:4}@1:1"),
            ("\"a\\0b\"", "\"a\0b\"@1:1"), ("--- a\n", "a@1:5"),
        ])
    func `YAML text is read as a tree with locations`(_ text: String, _ expected: String) throws {
        #expect(try tree(text) == expected)
    }

    @Test func `several YAML documents are read in turn`() throws {
        var reader = YAMLReader("a\n--- b\n".utf8, deepest: 1)
        #expect(try reader.nextDocument().map(line) == "a@1:1")
        #expect(try reader.nextDocument().map(line) == "b@2:5")
        #expect(try reader.nextDocument() == nil)
        #expect(try reader.nextDocument() == nil)
        #expect(try tree("") == nil)
        #expect(try tree("# nothing\n") == nil)
    }

    @Test(
        arguments: [
            ("[a, [b, [c], d], e]", 1, "[a@1:2, …@1:5, e@1:18]@1:1"), ("[[[a]], b]", 2, "[[…@1:3]@1:2, b@1:9]@1:1"),
            ("{a: {b: c}}", 0, "…@1:1"),
            ("{? [a] : b}", 1, "{…@1:4: b@1:10}@1:1"), ("a", 0, "a@1:1"),
        ])
    func `YAML nodes below the deepest level are skipped`(_ text: String, _ deepest: Int, _ expected: String) throws {
        #expect(try tree(text, deepest: deepest) == expected)
    }

    @Test(arguments: ["[", "{a: ", "- ", "? "]) func `endlessly nested YAML is not read to its end`(
        _ opening: String
    ) throws {
        var reader = YAMLReader(String(repeating: opening, count: 100_000).utf8, deepest: 1)
        let expected = [
            "[": "[…@1:2]@1:1", "{a: ": "{a@1:2: …@1:5}@1:1", "- ": "[…@1:3]@1:1", "? ": "{…@1:3: …@1:1}@1:1",
        ]
        #expect(try reader.nextDocument().map(line) == expected[opening])
        #expect(try reader.nextDocument() == nil)
    }

    @Test(
        arguments: [
            ("a: b: c", "mapping values are not allowed in this context", 1, 5, nil),
            ("[a", "did not find expected ',' or ']'", 2, 1, "while parsing a flow sequence"),
            ("a: \"b", "found unexpected end of stream", 1, 6, "while scanning a quoted scalar"),
            ("\tb: c", "found character that cannot start any token", 1, 1, "while scanning for the next token"),
        ] as [(String, String, Int, Int, String?)])
    func `invalid YAML is reported in the library's words`(
        _ text: String, _ problem: String, _ line: Int, _ column: Int, _ context: String?
    ) {
        let error = #expect(throws: YAMLError.self) { try tree(text) }
        #expect(error?.problem == problem && error?.context?.text == context)
        #expect(error.map { [$0.mark.line, $0.mark.column] } == [line, column])
    }
}
