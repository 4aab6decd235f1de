import NetworkNames
import Testing

struct HostAndPortTests {
    @Test(
        arguments: [
            ("", "", false, ""), ("a", "a", false, ""), ("a:80", "a", false, ":80"), (":80", "", false, ":80"),
            ("a:", "a", false, ":"),
            ("::1", "", false, "::1"), ("a:1:2", "a", false, ":1:2"), ("[::1]", "::1", true, ""),
            ("[::1]:80", "::1", true, ":80"),
            ("[]", "", true, ""), ("[a]b:1", "a", true, "b:1"), ("[a]]:1", "a", true, "]:1"),
            ("a]:1", "a]", false, ":1"),
            ("a[b]:1", "a[b]", false, ":1"), ("[a:b]", "a:b", true, ""), ("\u{E4}:\u{E4}", "\u{E4}", false, ":\u{E4}"),
        ]
    )
    func `the host ends at the first colon, or at its bracket`(
        text: String, host: String, isBracketed: Bool, rest: String
    ) throws {
        let parts = try #require(HostAndPort(text))
        #expect(parts.host == host)
        #expect(parts.isBracketed == isBracketed)
        #expect(parts.rest == rest)
        #expect(HostAndPort("x\(text)y".dropFirst().dropLast()) == parts)
        let found = HostAndPort.Offsets(text.utf8.span)
        let offsets = try #require(found)
        let bytes = Array(text.utf8)
        #expect(bytes[offsets.host].elementsEqual(host.utf8))
        #expect(bytes[offsets.rest].elementsEqual(rest.utf8))
        #expect(offsets.isBracketed == isBracketed)
    }

    @Test(arguments: ["[", "[::1", "[::1:80", "[a"])
    func `a bracket without its closing bracket is refused`(text: String) {
        #expect(HostAndPort(text) == nil)
        let offsets = HostAndPort.Offsets(text.utf8.span)
        #expect(offsets == nil)
    }

    @Test(
        arguments: [("a", nil), ("a:", ""), ("a:80", "80"), ("[::1]:x", "x"), ("[::1]80", nil), ("a:1:2", "1:2")]
            as [(String, Substring?)])
    func `the port is the number after the colon`(text: String, port: Substring?) throws {
        #expect(try #require(HostAndPort(text)).port == port)
    }
}

struct PortNumberTests {
    @Test(
        arguments: [
            ("", nil, nil), ("0", 0, 0), ("1", 1, 1), ("80", 80, 80), ("65535", 65_535, 65_535), ("65536", nil, nil),
            ("080", nil, 80),
            ("00", nil, 0), ("+80", nil, nil), ("-0", nil, nil), ("8 ", nil, nil), ("8x", nil, nil),
            ("\u{FF18}0", nil, nil),
            ("99999999999999999999999999", nil, nil), ("00000000000000000000000080", nil, 80), ("/", nil, nil),
            (":", nil, nil),
        ] as [(String, Int?, Int?)])
    func `a port consists of digits, and is at most 65535`(digits: String, canonical: Int?, decimal: Int?) {
        let found = (PortNumber.canonical(digits.utf8.span), PortNumber.decimal(digits.utf8.span))
        #expect(found == (canonical, decimal))
    }
}
