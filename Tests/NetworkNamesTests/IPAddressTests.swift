import NetworkNames
import Testing

struct IPAddressTests {
    @Test(
        arguments: [
            ("::", 0, 0), ("::1", 0, 1), ("1::", 1 << 48, 0),
            ("1:2:3:4:5:6:7:8", 0x0001_0002_0003_0004, 0x0005_0006_0007_0008),
            ("::ffff:1.2.3.4", 0, 0xFFFF_0102_0304), ("1.2.3.4", 0, 0xFFFF_0102_0304),
            ("::5:6:7:8", 0, 0x0005_0006_0007_0008),
            ("64:ff9b::192.0.2.33", 0x0064_FF9B_0000_0000, 0xC000_0221),
            ("1:2:3:4:5:6:7::", 0x0001_0002_0003_0004, 0x0005_0006_0007_0000),
            ("::2:3:4:5:6:7:8", 0x0000_0002_0003_0004, 0x0005_0006_0007_0008), ("0001:0::0", 1 << 48, 0),
            ("1:2:3:4:5:6:1.2.3.4", 0x0001_0002_0003_0004, 0x0005_0006_0102_0304),
            ("64:ff9b::0.0.0.255", 0x0064_FF9B_0000_0000, 0xFF), ("::ffff:192.0.2.1", 0, 0xFFFF_C000_0201),
            ("0.0.0.0", 0, 0xFFFF_0000_0000), ("255.255.255.255", 0, 0xFFFF_FFFF_FFFF),
            ("FFFF:ffff:FFFF:ffff:ffff:ffff:255.255.255.255", .max, .max),
        ] as [(String, UInt64, UInt64)])
    func `every textual form of an address gives its value`(text: String, high: UInt64, low: UInt64) throws {
        let address = try #require(IPAddress(text))
        #expect(address.high == high && address.low == low)
        #expect(IPAddress(text[...]) == address)
    }

    /// RFC 4291 §2.2.
    @Test(
        arguments: [
            ("ABCD:EF01:2345:6789:ABCD:EF01:2345:6789", "abcd:ef01:2345:6789:abcd:ef01:2345:6789"),
            ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"),
            ("2001:DB8::8:800:200C:417A", "2001:db8::8:800:200c:417a"),
            ("FF01:0:0:0:0:0:0:101", "ff01::101"), ("FF01::101", "ff01::101"), ("0:0:0:0:0:0:0:1", "::1"),
            ("::1", "::1"),
            ("0:0:0:0:0:0:0:0", "::"), ("::", "::"), ("0:0:0:0:0:0:13.1.68.3", "::d01:4403"),
            ("::13.1.68.3", "::d01:4403"),
            ("0:0:0:0:0:FFFF:129.144.52.38", "129.144.52.38"), ("::FFFF:129.144.52.38", "129.144.52.38"),
        ]
    )
    func `the examples of the addressing architecture are read`(text: String, canonical: String) throws {
        #expect(try #require(IPAddress(text)).description == canonical)
    }

    /// RFC 5952 §1, §4 and §5.
    @Test(
        arguments: [
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:0db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:db8::1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8::0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:0db8::1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8:0:0:1::1", "2001:db8::1:0:0:1"),
            ("2001:DB8:0:0:1::1", "2001:db8::1:0:0:1"), ("2001:0db8::0001", "2001:db8::1"),
            ("2001:db8:0:0:0:0:2:1", "2001:db8::2:1"),
            ("2001:db8::0:1", "2001:db8::1"), ("2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("2001:db8:aaaa:bbbb:cccc:dddd:eeee:AAAA", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:aaaa"),
            ("1:0:0:2:0:0:3:4", "1::2:0:0:3:4"),
            ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"), ("0:0:3:4:5:6:7:8", "::3:4:5:6:7:8"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7:0"),
        ]
    )
    func `an address is written in the recommended form`(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
    }

    @Test(arguments: [
        "", ":", ":::", "::::", "1", "1.2.3", "1.2.3.", ".1.2.3", "1..2.3", "1.2.3.4.", "1.2.3.4.5", "01.2.3.4",
        "00.0.0.0", "256.1.1.1",
        "1.2.3.999", "1.2.3.1000", "1.2.3.-4", "+1.2.3.4", "1.2.3.0x4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4\u{0}",
        "\u{FF11}.2.3.4",
        "127.1", "2130706433", "0x7f.0.0.1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8", "1::2::3",
        "::1::", "12345::", "00001::", ":1::", "1::2:", "1:2:3:4:5:6:7:", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:",
        "1:2:3:4:5:6:7::8:9",
        "g::", "::1%eth0", "fe80::1%25eth0", "::1 ", " ::1", "::1.2.3", "::1.2.3.4.5", "::1.2.3.256", "::01.2.3.4",
        "::1.2.3.", "::.1.2.3",
        "::1.2.3.4:5", "1.2.3.4::", "1:1.2.3.4:2::", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:1.2.3.4", "[::1]", "::-1",
        "+1::", "::0x1",
        "1:2:3:4::5:6:7:1.2.3.4", "::\u{0}",
    ])
    func `text that is no address is refused`(text: String) {
        #expect(IPAddress(text) == nil)
        #expect(IPAddress(text[...]) == nil)
    }

    @Test func `an IPv4 or an IPv6 address alone can be parsed`() {
        let address = IPAddress(ipv4: 0x0A00_0001)
        let dotted = ("10.0.0.1", IPAddress(ipv4: "10.0.0.1".utf8.span), IPAddress(ipv6: "10.0.0.1".utf8.span))
        #expect(dotted == ("10.0.0.1", address, nil))
        let mapped = (
            "::ffff:10.0.0.1", IPAddress(ipv4: "::ffff:10.0.0.1".utf8.span),
            IPAddress(ipv6: "::ffff:10.0.0.1".utf8.span)
        )
        #expect(mapped == ("::ffff:10.0.0.1", nil, address))
    }

    @Test func `an address cut off anywhere is parsed without reading beyond its end`() {
        let texts = ["2001:db8:1:2:3:4:255.254.253.252", "::ffff:192.0.2.1", "1:2:3:4:5:6:7:8", "192.0.2.1"]
        for text in texts {
            for count in 0...text.utf8.count {
                let cut = String(decoding: text.utf8.prefix(count), as: UTF8.self)
                guard let address = IPAddress(cut) else { continue }
                #expect(IPAddress(address.description) == address)
            }
        }
    }

    @Test func `bytes and groups are in network order`() {
        let address = IPAddress(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
        #expect((0..<16).map(address.byte) == Array(0..<16))
        #expect((0..<8).map(address.group) == [0x0001, 0x0203, 0x0405, 0x0607, 0x0809, 0x0A0B, 0x0C0D, 0x0E0F])
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("64:ff9b::192.0.2.1", "64:ff9b::192.0.2.1"),
        ("64:ff9b:0:1::1", "64:ff9b:0:1::"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::192.0.2.1", "::"),
    ])
    func `an IPv6 client is a network of 64 bits, and an IPv4 client an address`(text: String, client: String) throws {
        #expect(try #require(IPAddress(text)).client == IPAddress(client))
    }
}
