import Testing

@testable import NetworkNames

struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
        ("::ffff:10.0.0.0/104", "10.1.2.3", true), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "2001:db8::1", false),
        ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false),
        ("::/0", "2001:db8::1", true), ("2001:db8::1", "2001:db8::1", true), ("2001:db8::/33", "2001:db8:8000::", false),
        ("2001:db8:1:2::/65", "2001:db8:1:2:8000::", false),
    ])
    func `an address is in a range by its first bits`(range: String, address: String, isIn: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.1/8", "10.0.0/8", "fe80::%eth0/10", "::/129", "a",
    ])
    func `what is not a range is refused`(text: String) {
        #expect(AddressRange(text) == nil)
    }
}

struct IPAddressTests {
    @Test(
        arguments: [
            ("::", 0, 0), ("::1", 0, 1), ("1::", 1 << 48, 0), ("1:2:3:4:5:6:7:8", 0x0001_0002_0003_0004, 0x0005_0006_0007_0008),
            ("::ffff:1.2.3.4", 0, 0xFFFF_0102_0304), ("1.2.3.4", 0, 0xFFFF_0102_0304), ("::5:6:7:8", 0, 0x0005_0006_0007_0008),
            ("64:ff9b::192.0.2.33", 0x0064_FF9B_0000_0000, 0xC000_0221), ("1:2:3:4:5:6:7::", 0x0001_0002_0003_0004, 0x0005_0006_0007_0000),
        ] as [(String, UInt64, UInt64)])
    func `the textual forms have one value`(text: String, high: UInt64, low: UInt64) throws {
        let address = try #require(IPAddress(text))
        #expect(address.high == high && address.low == low)
    }

    @Test(arguments: [
        "", ":", ":::", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "256.1.1.1", "1.2.3.-4", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1::",
        "12345::",
        "g::", "fe80::1%eth0", "1.2.3.4::", "::1.2.3", " ::1", "[::1]", "1:2:3:4:5:6:7:8::", "+1::", "1:1.2.3.4:2::",
    ])
    func `everything else is no address`(text: String) {
        #expect(IPAddress(text) == nil)
    }
}
