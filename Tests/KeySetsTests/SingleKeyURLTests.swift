import KeySets
import NetworkNames
import Testing

@Suite struct SingleKeyURLTests {
    private static let keyID = "6f1d3a52-8c07-4be9-9a41-d2f0b7e35c18"

    @Test func `a key is at its ID below the place`() throws {
        let single = try #require(SingleKeyURL(Self.keyID, below: "https://keys.example:8443/alb"))
        #expect(single.url.text == "https://keys.example:8443/alb/\(Self.keyID)")
        #expect(single.url.host == "keys.example")
        #expect(single.keyID == Self.keyID)
        #expect(SingleKeyURL(Self.keyID, below: "https://keys.example")?.url.target == "/\(Self.keyID)")
        #expect(SingleKeyURL(Self.keyID, below: "keys") == nil)
    }

    @Test(arguments: [
        "", "a", "6F1D3A52-8C07-4BE9-9A41-D2F0B7E35C18", "6f1d3a52-8c07-4be9-9a41-d2f0b7e35c1",
        "6f1d3a528c074be99a41d2f0b7e35c18",
        "6f1d3a52-8c07-4be9-9a41-d2f0b7e35c18/", "6f1d3a52-8c07-4be9-9a41-d2f0b7e35c18?x",
        "6f1d3a52-8c07-4be9-9a41-d2f0b7e35c18-",
        "-6f1d3a52-8c07-4be9-9a41-d2f0b7e35c18", "6f1d3a5g-8c07-4be9-9a41-d2f0b7e35c18",
        "../../../../../etc/passwd00000-0000-00",
        "6f1d3a52-8c07-4be9-9a41-d2f0b7e35c1/", "6f1d3a52-8c07-4be9-9a41-%2f2f0b7e35c1",
        "6f1d3a52/8c07/4be9/9a41/d2f0b7e35c18",
        " f1d3a52-8c07-4be9-9a41-d2f0b7e35c18", "6f1d3a52-8c07-4be9-9a41-d2f0b7e35c18\u{0}",
        "\u{FF16}f1d3a52-8c07-4be9-9a41-d2f0b7e35c18",
        "6f1d3a52-8c07-4be9-9a41\u{2010}d2f0b7e35c18", "{6f1d3a52-8c07-4be9-9a41-d2f0b7e35c18}",
    ])
    func `only a UUID in lower case has a URL`(keyID: String) {
        #expect(!SingleKeyURL.isKeyID(keyID))
        #expect(SingleKeyURL(keyID, below: "https://keys.example") == nil)
    }
}
