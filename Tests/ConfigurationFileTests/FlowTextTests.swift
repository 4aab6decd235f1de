import Testing

@testable import ConfigurationFile

struct FlowTextTests {
    @Test(arguments: [
        "a", "10.0.0.0/8", "https://api.example.com/a?b=c", "orders:read", "127.0.0.1:80", "a b", "a#b", "a-b", "it's",
        "",
        "::/0", ":80", "80:", "a: b", "a #b", "a, b", "[a]", "{a}", "-", "- a", "? a", "*a", "&a", "!a", "|", ">",
        "'a'", "\"a\"", "a\"b",
        "a\\b\"",
        "%a", "@a", "`a", " a", "a ", "$a", "${a}", "true", "3",
    ])
    func `text written as a YAML flow scalar reads back as the same text`(text: String) throws {
        let document = DocumentParser.parse(
            Array("{key: \(FlowText.of(text)), list: [\(FlowText.of(text))]}".utf8), environment: [:])
        #expect(document.problems == [])
        guard case .mapping(let members)? = document.root?.content,
            case .scalar(let scalar)? = members.first?.value.content,
            case .sequence(let elements)? = members.last?.value.content,
            case .scalar(let element)? = elements.first?.content
        else {
            Issue.record("\(text)")
            return
        }
        #expect([scalar.text, element.text] == [text, text])
    }

    @Test(arguments: ["10.0.0.0/8", "https://api.example.com", "orders:read", "127.0.0.1:80", "./ca.pem", "a b"])
    func `text that needs no quotes is written without quotes`(text: String) {
        #expect(FlowText.of(text) == text)
    }
}
