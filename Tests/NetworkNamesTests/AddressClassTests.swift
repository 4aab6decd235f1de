import NetworkNames
import Testing

@Suite struct AddressClassTests {
    @Test(
        arguments: [
            ("127.0.0.1", .loopback), ("127.255.255.255", .loopback), ("::1", .loopback),
            ("0:0:0:0:0:0:0:1", .loopback),
            ("169.254.169.254", .linkLocal), ("169.253.255.255", .global), ("169.255.0.0", .global),
            ("fe80::1", .linkLocal),
            ("FEBF::1", .linkLocal),
            ("10.0.0.1", .private), ("9.255.255.255", .global), ("11.0.0.0", .global),
            ("172.15.0.1", .global), ("172.16.0.1", .private), ("172.31.255.255", .private), ("172.32.0.0", .global),
            ("192.168.0.1", .private), ("192.167.0.1", .global), ("192.169.0.1", .global),
            ("100.64.0.1", .private), ("100.127.255.255", .private), ("100.63.0.1", .global), ("100.128.0.1", .global),
            ("192.0.0.8", .private), ("192.0.2.1", .private), ("198.51.100.7", .private), ("203.0.113.9", .private),
            ("198.18.0.1", .private),
            ("198.19.255.255", .private), ("198.20.0.0", .global), ("8.8.8.8", .global), ("223.255.255.255", .global),
            ("fc00::1", .private), ("fdff::1", .private), ("fec0::1", .private), ("2001:db8::1", .private),
            ("64:ff9b:1::1", .private),
            ("2606:4700::1111", .global), ("2001:4860:4860::8888", .global),
            ("0.0.0.0", nil), ("0.1.2.3", nil), ("224.0.0.1", nil), ("239.1.1.1", nil), ("240.0.0.1", nil),
            ("255.255.255.255", nil),
            ("::", nil), ("ff02::1", nil), ("100::1", nil),
        ] as [(String, AddressClass?)])
    func `every address has the class of its range`(text: String, expected: AddressClass?) throws {
        #expect(try #require(IPAddress(text)).addressClass == expected)
    }

    @Test(
        arguments: [
            ("::ffff:127.0.0.1", .loopback), ("::ffff:7f00:1", .loopback), ("::ffff:10.1.2.3", .private),
            ("::ffff:8.8.8.8", .global),
            ("::ffff:169.254.169.254", .linkLocal), ("::ffff:0.0.0.0", nil), ("::127.0.0.1", .loopback),
            ("::10.0.0.1", .private),
            ("::2", nil), ("::1:0", nil), ("::1.0.0.1", .global), ("64:ff9b::169.254.169.254", .linkLocal),
            ("64:ff9b::808:808", .global),
            ("2002:7f00:1::", .loopback),
            ("2002:a00:1::1", .private),
            ("2002:808:808::1", .global),
        ] as [(String, AddressClass?)])
    func `an IPv6 address that embeds an IPv4 address has the class of that address`(
        text: String, expected: AddressClass?
    ) throws {
        #expect(try #require(IPAddress(text)).addressClass == expected)
    }

    @Test func `an address built from integers has the class of its text form`() {
        #expect(IPAddress(high: 0xFE80 << 48, low: 1).addressClass == .linkLocal)
        #expect(IPAddress(high: 0, low: 1).addressClass == .loopback)
        #expect(IPAddress(ipv4: 0x0A00_0001).addressClass == .private)
    }

    @Test func `a narrower address class sorts after a wider one`() {
        #expect(
            [AddressClass.loopback, .global, .linkLocal, .private].sorted() == [
                .global, .private, .linkLocal, .loopback,
            ])
    }
}
