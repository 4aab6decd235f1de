import TestSupport
import Testing

@testable import HTTPMessages

struct ProxyFieldTests {
    /// A name of the table, or one that a prefix in the table covers.
    static let examples = ProxyField.names.map(example)
    static let traceExamples = TraceField.names.map(example)

    private static func example(of name: String) -> String { name.hasSuffix("*") ? name.dropLast() + "Any" : name }

    private func entry(_ name: String) -> ProxyField? { ProxyFieldTable.standard.entry(Array(name.utf8).span) }

    @Test func `proxy field names are unique tokens of at least four bytes`() {
        for name in ProxyField.names {
            #expect(FieldName(name) != nil, "\(name)")
            #expect(name.utf8.count(where: { $0 != UInt8(ascii: "*") }) >= 4, "\(name)")
            #expect(!name.dropLast().contains("*"), "\(name)")
        }
        #expect(Set(ProxyField.names.map { $0.lowercased() }).count == ProxyField.names.count)
    }

    @Test(arguments: examples) func `every proxy field is found in any case`(name: String) {
        for spelling in [name, name.lowercased(), name.uppercased()] {
            #expect(entry(spelling) == .name, "\(spelling)")
        }
    }

    /// Names may be in the table both with a hyphen and with an underscore.
    @Test(arguments: examples.filter { $0.dropLast(3).contains { "-_$".contains($0) } })
    func `a proxy field name with other separators is a look-alike`(name: String) {
        for character in "!#%&'*+.^`|~" {
            let spelling = String(name.map { "-_$".contains($0) ? character : $0 })
            #expect(entry(spelling) == .lookAlike, "\(spelling)")
        }
        let swapped = String(name.map { $0 == "-" ? "_" : $0 == "_" ? "-" : $0 })
        #expect(
            entry(swapped) == (name.hasPrefix("SSL") ? .name : name.hasPrefix("$") ? .name : .lookAlike), "\(swapped)")
    }

    @Test(arguments: [
        "", "X", "X-", "X-F", "Host", "Accept", "User-Agent", "Referer", "Cookie", "Origin", "Sec-Fetch-Mode",
        "X-Requested-With",
        "X-Api-Key",
        "X-Auth-Token", "X-Auth-User", "X-Auth-Key", "X-Access-Token", "X-User-Id", "X-CSRF-Token", "X-Correlation-Id",
        "X-Client-Id",
        "X-Client-Version", "X-Forwardedness", "X-ForwardedFor", "XForwardedFor", "X-Original", "Remote", "Remoteness",
        "True-Client", "X-Amzn", "X-B3", "X-Cloud-Trace", "baggages", "CF-Ray", "CDN-Loop", "Proxy",
        "Impersonate-User",
        "Xx-Forwarded-For", "X-Hosts", "SSLClient", "X-Ms-Version", "WS-Foo", "Ivory", "Smile",
    ])
    func `no similar name is taken for a proxy field`(name: String) {
        #expect(entry(name) == nil)
    }

    /// Slow lookup in the table over strings, for comparison.
    private func naive(_ name: String) -> ProxyField? {
        func folded(_ text: String) -> String {
            String(text.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" })
        }
        func covers(_ entry: String, _ name: String) -> Bool {
            entry.hasSuffix("*") ? name.hasPrefix(entry.dropLast()) : name == entry
        }
        if ProxyField.names.contains(where: { covers($0.lowercased(), name.lowercased()) }) { return .name }
        func resembles(_ names: [String]) -> Bool {
            names.contains { entry in
                let end = entry.hasSuffix("*") ? "*" : ""
                return covers(folded(String(entry.dropLast(end.count))) + end, folded(name))
            }
        }
        return resembles(ProxyField.names) ? .lookAlike : resembles(TraceField.names) ? .trace : nil
    }

    @Test(arguments: traceExamples) func `every trace field is found in any spelling`(name: String) {
        let swapped = String(name.map { $0 == "-" ? "." : $0 })
        for spelling in [name, name.lowercased(), name.uppercased(), swapped] {
            #expect(entry(spelling) == .trace, "\(spelling)")
        }
    }

    @Test(arguments: Effort.some(0..<8, quick: 2))
    func `mutated names are classified as by comparison with every proxy field name`(
        seed: Int
    ) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var found: [ProxyField?: Int] = [:]
        for _ in 0..<2_000 {
            var name = Array(generator.pick(Self.examples + Self.traceExamples))
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let index = Int.random(in: 0..<name.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: name[index] = generator.pick(Array("-_.~!xf0"))
                case 1: name.insert(generator.pick(Array("-_.x")), at: index)
                case 2 where name.count > 1: name.remove(at: index)
                default:
                    name[index] = Character(
                        name[index].isLowercase ? name[index].uppercased() : name[index].lowercased())
                }
            }
            let expected = naive(String(name))
            #expect(entry(String(name)) == expected, "\(String(name))")
            found[expected, default: 0] += 1
        }
        #expect(found.count == 4 && found.values.allSatisfy { $0 > 10 }, "\(found)")
    }

    @Test func `a head field is looked up in the proxy fields by its name`() throws {
        var parser = RequestHeadParser()
        let text = "GET / HTTP/1.1\r\nHost: a\r\nx-forwarded-user: a\r\nX_Forwarded.User: b\r\nX-Kept: c\r\n\r\n"
        _ = try parser.parse(Array(text.utf8).span)
        let head = parser.head
        #expect(head.fields.map { head.proxyField($0) } == [nil, .name, .lookAlike, nil])
    }
}
