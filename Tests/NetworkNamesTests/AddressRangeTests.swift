import NetworkNames
import Testing

struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
        ("::ffff:10.0.0.0/104", "10.1.2.3", true), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "2001:db8::1", false),
        ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false),
        ("::/0", "2001:db8::1", true), ("2001:db8::1", "2001:db8::1", true), ("2001:db8::/33", "2001:db8:8000::", false),
        ("2001:db8:1:2::/65", "2001:db8:1:2:8000::", false), ("10.0.0.0/08", "10.1.2.3", true),
    ])
    func `an address is in a range by its first bits`(range: String, address: String, isIn: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.1/8", "10.0.0/8", "fe80::%eth0/10", "::/129", "a",
        "10.0.0.0/+8",
        "10.0.0.0/99999999999999999999", "::/", "2001:db8::1/64",
    ])
    func `what is not a range is refused`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test func `a prefix may also be taken from an address within`() throws {
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
