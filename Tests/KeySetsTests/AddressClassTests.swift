import KeySets
import Testing

@Suite struct AddressClassTests {
    @Test(
        arguments: [
            ("127.0.0.1", .loopback), ("127.255.255.255", .loopback), ("::1", .loopback), ("0:0:0:0:0:0:0:1", .loopback),
            ("169.254.169.254", .linkLocal), ("169.253.255.255", .global), ("169.255.0.0", .global), ("fe80::1", .linkLocal),
            ("FEBF::1", .linkLocal),
            ("10.0.0.1", .private), ("9.255.255.255", .global), ("11.0.0.0", .global),
            ("172.15.0.1", .global), ("172.16.0.1", .private), ("172.31.255.255", .private), ("172.32.0.0", .global),
            ("192.168.0.1", .private), ("192.167.0.1", .global), ("192.169.0.1", .global),
            ("100.64.0.1", .private), ("100.127.255.255", .private), ("100.63.0.1", .global), ("100.128.0.1", .global),
            ("192.0.0.8", .private), ("192.0.2.1", .private), ("198.51.100.7", .private), ("203.0.113.9", .private),
            ("198.18.0.1", .private),
            ("198.19.255.255", .private), ("198.20.0.0", .global), ("8.8.8.8", .global), ("223.255.255.255", .global),
            ("fc00::1", .private), ("fdff::1", .private), ("fec0::1", .private), ("2001:db8::1", .private), ("64:ff9b:1::1", .private),
            ("2606:4700::1111", .global), ("2001:4860:4860::8888", .global),
            ("0.0.0.0", nil), ("0.1.2.3", nil), ("224.0.0.1", nil), ("239.1.1.1", nil), ("240.0.0.1", nil), ("255.255.255.255", nil),
            ("::", nil), ("ff02::1", nil), ("100::1", nil),
        ] as [(String, AddressClass?)])
    func `each address has the class of its range`(text: String, expected: AddressClass?) {
        #expect(AddressClass(text: text) == expected)
    }

    @Test(
        arguments: [
            ("::ffff:127.0.0.1", .loopback), ("::ffff:7f00:1", .loopback), ("::ffff:10.1.2.3", .private), ("::ffff:8.8.8.8", .global),
            ("::ffff:169.254.169.254", .linkLocal), ("::ffff:0.0.0.0", nil), ("::127.0.0.1", .loopback), ("::10.0.0.1", .private),
            ("64:ff9b::169.254.169.254", .linkLocal), ("64:ff9b::808:808", .global), ("2002:7f00:1::", .loopback),
            ("2002:a00:1::1", .private),
            ("2002:808:808::1", .global),
        ] as [(String, AddressClass?)])
    func `an IPv6 address that carries an IPv4 address counts as that`(text: String, expected: AddressClass?) {
        #expect(AddressClass(text: text) == expected)
    }

    @Test(arguments: [
        "", "localhost", "127.1", "127.0.0.1.", "0127.0.0.1", "127.0.0.01", "256.0.0.1", "1.2.3", "1.2.3.4.5", "1..2.3", "+1.2.3.4",
        "2130706433",
        "0x7f.0.0.1", "[::1]", "::1%lo", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1.2.3",
        "1.2.3.4::",
        ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "1:2:3:4:5:6:7::8:9", "+1::", "\u{FF11}.2.3.4", "::ffff:1.2.3.256",
    ])
    func `what is not one exact address has no class`(text: String) {
        #expect(AddressClass(text: text) == nil)
        #expect(AddressClass.bytes(ofAddress: text) == nil)
    }

    @Test func `bytes and text lead to the same class`() {
        let bytes: [UInt8] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        #expect(AddressClass(ipv6: bytes) == .linkLocal)
        #expect(AddressClass.bytes(ofAddress: "fe80::1") == bytes)
        #expect(AddressClass(ipv6: Array(repeating: 0, count: 15) + [1]) == .loopback)
        #expect(AddressClass(ipv6: [127, 0, 0, 1]) == nil)
        #expect(AddressClass(ipv4: 10, 0, 0, 1) == .private)
        #expect(AddressClass.bytes(ofAddress: "10.0.0.1") == [10, 0, 0, 1])
        #expect(AddressClass.isIPv4("10.0.0.1") && !AddressClass.isIPv4("::1"))
        #expect(AddressClass.isIPv6("::1") && !AddressClass.isIPv6("10.0.0.1"))
    }

    @Test func `the narrower class is the greater one`() {
        #expect([AddressClass.loopback, .global, .linkLocal, .private].sorted() == [.global, .private, .linkLocal, .loopback])
    }
}
