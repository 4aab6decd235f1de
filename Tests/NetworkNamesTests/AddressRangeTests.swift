import NetworkNames
import Testing

struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
        ("::ffff:10.0.0.0/104", "10.1.2.3", true), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "2001:db8::1", false),
        ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("fd00::/8", "fdff::1", true),
        ("fd00::/8", "fe00::1", false),
        ("::/0", "2001:db8::1", true), ("2001:db8::1", "2001:db8::1", true),
        ("2001:db8::/33", "2001:db8:8000::", false),
        ("2001:db8:1:2::/65", "2001:db8:1:2:8000::", false), ("10.0.0.0/08", "10.1.2.3", true),
    ])
    func `an address is in a range by its first bits`(range: String, address: String, isIn: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.1/8", "10.0.0/8", "fe80::%eth0/10",
        "::/129", "a",
        "10.0.0.0/+8",
        "10.0.0.0/99999999999999999999", "::/", "2001:db8::1/64",
    ])
    func `text that is no address range is refused`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(arguments: [
        ("0.0.0.0/0", true), ("::/0", true), ("::ffff:0.0.0.0/96", true), ("::ffff:0:0/96", true), ("::/80", true),
        ("::/64", true),
        ("::/1", true), ("::/81", false), ("::/96", false), ("0.0.0.0/1", false), ("128.0.0.0/1", false),
        ("8000::/1", false),
        ("::/97", false), ("::ffff:0:0/97", false),
        ("1::/64", false), ("::1", false), ("10.0.0.0/8", false),
    ])
    func `a range covers everyone if it has all addresses of IPv4 or of IPv6`(text: String, isEveryone: Bool) throws {
        #expect(AddressRange.coverEveryone([try #require(AddressRange(text))]) == isEveryone)
    }

    @Test(
        arguments: [
            ([], false), (["0.0.0.0/1", "128.0.0.0/1"], true), (["128.0.0.0/1", "10.0.0.0/8", "0.0.0.0/1"], true),
            (["0.0.0.0/1", "128.0.0.0/2"], false), (["0.0.0.0/1", "128.0.0.0/2", "192.0.0.0/3", "224.0.0.0/3"], true),
            (["0.0.0.0/1", "128.0.0.0/2", "192.0.0.0/3", "224.0.0.0/4"], false), (["::/1", "8000::/1"], true),
            (["8000::/1", "4000::/2"], false),
            (["::ffff:0.0.0.0/97", "128.0.0.0/1"], true), (["0.0.0.0/1", "8000::/1"], false),
            (["::/97", "::8000:0/97"], false),
            (["127.0.0.1", "::1"], false),
        ] as [([String], Bool)])
    func `ranges cover everyone if together they have all addresses of IPv4 or of IPv6`(
        texts: [String], areEveryone: Bool
    ) throws {
        #expect(AddressRange.coverEveryone(try texts.map { try #require(AddressRange($0)) }) == areEveryone)
    }

    @Test func `ranges that lack one address of IPv4 do not cover everyone`() throws {
        // Each prefix of 255.255.255.255 with its last bit inverted: all addresses but that one.
        let all = (97...128).map { bits in
            let address = UInt32.max ^ (1 << UInt32(128 - bits))
            return AddressRange(of: IPAddress(ipv4: address), bits: bits)
        }
        #expect(!AddressRange.coverEveryone(all))
        #expect(AddressRange.coverEveryone(all + [try #require(AddressRange("255.255.255.255"))]))
    }

    @Test(arguments: [
        ("0.0.0.0/0", true), ("128.0.0.0/1", true), ("10.0.0.0/7", true), ("10.0.0.0/8", false), ("10.0.0.0/9", false),
        ("10.0.0.1", false),
        ("::ffff:10.0.0.0/103", true), ("::ffff:10.0.0.0/104", false), ("::ffff:0:0/96", true), ("::/80", true),
        ("::/81", false),
        ("::/19", true),
        ("::/0", true), ("2000::/3", true), ("2001:c000::/18", true), ("2001:c000::/19", false),
        ("2001:db8::/32", false),
        ("2002::/16", true),
        ("fc00::/6", true), ("fc00::/7", false), ("fd00::/8", false), ("fe80::/9", true), ("fe80::/10", false),
        ("fec0::/10", true),
        ("64:ff9b::/96", false), ("2001:db8::1", false),
    ])
    func `a range is wide if no operator has that many proxies`(text: String, isWide: Bool) throws {
        #expect(try #require(AddressRange(text)).isWide == isWide)
    }

    @Test func `a range can be made from any address within it`() throws {
        let range = AddressRange(of: try #require(IPAddress("10.1.2.3")), bits: 104)
        #expect(range == AddressRange("10.0.0.0/8"))
        let all = AddressRange(of: try #require(IPAddress("2001:db8::1")), bits: 0)
        #expect(all == AddressRange("::/0"))
        let one = AddressRange(of: try #require(IPAddress("2001:db8::1")), bits: 128)
        #expect(one == AddressRange("2001:db8::1"))
        #expect(AddressRange(of: IPAddress(high: .max, low: .max), bits: -1) == all)
        #expect(AddressRange(of: try #require(IPAddress("2001:db8::1")), bits: 129) == one)
    }
}
