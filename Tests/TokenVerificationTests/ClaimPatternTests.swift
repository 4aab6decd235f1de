import Testing

@testable import TokenVerification

struct ClaimPatternTests {
    // MARK: Against a reading of the definition

    /// The definition, implemented slowly: every length that a wildcard may match is tried.
    private static func isMatch(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        if first == UInt8(ascii: "\\"), let escaped = rest.first {
            return text.first == escaped && isMatch(rest.dropFirst(), text.dropFirst())
        }
        guard first == UInt8(ascii: "*") else { return text.first == first && isMatch(rest, text.dropFirst()) }
        let isDouble = rest.first == first
        let end = text.firstIndex { !isDouble && ($0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":")) } ?? text.endIndex
        let behind = isDouble ? rest.dropFirst() : rest
        return text[..<end].indices.contains { isMatch(behind, text[($0 + 1)...]) }
    }

    /// All texts of these characters up to a length, including the empty one.
    private static func texts(of characters: String, upTo length: Int) -> [String] {
        var all = [""]
        var last = all
        for _ in 0..<length {
            last = last.flatMap { text in characters.map { text + String($0) } }
            all += last
        }
        return all
    }

    @Test func `every short pattern matches exactly the short texts of its definition`() {
        let patterns = Self.texts(of: "a/*\\", upTo: 5).compactMap { try? ClaimPattern($0) }
        let texts = Self.texts(of: "ab/:*", upTo: 4) + ["\\", "a\\", "\\a", "\\*", "\\\\"]
        var (matches, differences) = (0, 0)
        for pattern in patterns {
            let definition = Array(pattern.description.utf8)[...]
            for text in texts {
                var steps = 0
                let isMatch = pattern.matches(Array(text.utf8).span, steps: &steps)
                if isMatch { matches += 1 }
                if isMatch != Self.isMatch(definition, Array(text.utf8)[...]) { differences += 1 }
                // Linear in the text: at most each of its bytes with each element.
                #expect(steps <= text.utf8.count * definition.count)
            }
        }
        #expect(differences == 0)
        #expect(patterns.count > 300)
        #expect(matches > 3_000, "\(matches)")
    }

    @Test func `twice the text takes at most twice the steps, even with many wildcards`()
        throws
    {
        let pattern = try ClaimPattern("a**a**a**a**b")
        var counts: [Int] = []
        for length in [1_000, 2_000, 4_000] {
            var steps = 0
            #expect(!pattern.matches([UInt8](repeating: UInt8(ascii: "a"), count: length).span, steps: &steps))
            counts.append(steps)
            #expect(steps <= length * 9)
        }
        #expect(counts[0] > 1_000)
        #expect(counts[1] <= 2 * counts[0] + 16 && counts[2] <= 2 * counts[1] + 16, "\(counts)")
    }

    // MARK: One by one

    @Test(
        arguments: [
            ("acme/*", "acme/site", true), ("acme/*", "acme/", false), ("acme/*", "acme/a/b", false),
            ("acme/*", "acme/a:b", false),
            ("acme/*", "Acme/site", false), ("acme/*", "xacme/site", false), ("acme/**", "acme/a/b:c", true),
            ("acme/**", "acme/", false),
            ("repo:acme/*:ref:refs/heads/**", "repo:acme/site:ref:refs/heads/fix/7", true),
            ("repo:acme/*:ref:refs/heads/**", "repo:acme/site:environment:x:ref:refs/heads/main", false),
            ("*@example.com", "ona@example.com", true), ("*@example.com", "ona@example.com.evil", false),
            ("a\\*b", "a*b", true), ("a\\*b", "axb", false), ("a\\\\*", "a\\x", true), ("literal", "literal", true),
            ("literal", "literally", false), ("caf\u{e9}*", "caf\u{e9}s", true), ("caf\u{e9}*", "cafe\u{301}s", false),
            ("a*", "a\u{0}", true),
        ])
    func `a pattern matches a whole text, by bytes and case-sensitively`(pattern: String, text: String, isMatch: Bool)
        throws
    {
        #expect(try ClaimPattern(pattern).matches(text.utf8.span) == isMatch)
    }

    @Test(
        arguments: [
            ("", .empty), ("*", .onlyWildcards), ("**", .onlyWildcards), ("a***b", .adjacentWildcards),
            ("a\\b", .invalidEscape),
            ("a\\", .invalidEscape), ("*a*a*a*a*", .tooManyWildcards), (String(repeating: "a", count: 257), .tooLong),
        ] as [(String, ClaimPatternRejection)])
    func `text that is no pattern is refused with its cause`(text: String, rejection: ClaimPatternRejection) {
        #expect(throws: rejection) { try ClaimPattern(text) }
    }

    @Test func `a pattern may have four wildcards and 256 bytes`() throws {
        #expect(try ClaimPattern("*a*a*a*").matches("xaxaxax".utf8.span))
        #expect(
            try ClaimPattern(String(repeating: "a", count: 255) + "*").matches(
                (String(repeating: "a", count: 256)).utf8.span))
    }
}
