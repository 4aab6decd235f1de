import NetworkNames
import Testing

/// The PROXY protocol, against the rules of HAProxy's proxy-protocol.txt.
struct ProxyHeaderTests {
    enum Outcome: Hashable, Sendable {
        case received(ProxyHeader, Int)
        case incomplete
        case refused(ProxyHeaderRejection)
    }

    private static func read(_ bytes: [UInt8]) -> Outcome {
        do throws(ProxyHeaderRejection) {
            return try ProxyHeader.read(bytes.span).map { .received($0.header, $0.length) } ?? .incomplete
        } catch {
            return .refused(error)
        }
    }

    private static func client(_ text: String) throws -> ProxyHeader { .client(try #require(IPAddress(text))) }

    // MARK: Version 1

    @Test(arguments: [
        ("PROXY TCP4 192.0.2.7 198.51.100.2 56324 443\r\n", "192.0.2.7"),
        ("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255"),
        ("PROXY TCP4 0.0.0.0 0.0.0.0 0 0\r\n", "0.0.0.0"), ("PROXY TCP6 2001:db8::7 ::1 1 2\r\n", "2001:db8::7"),
        (
            "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
        ),
        ("PROXY TCP6 2001:DB8::A ::ffff:192.0.2.1 1 2\r\n", "2001:db8::a"),
    ])
    func `a PROXY line states the client, even in its longest forms`(line: String, address: String) throws {
        #expect(Self.read(Array(line.utf8)) == .received(try Self.client(address), line.utf8.count))
    }

    @Test(arguments: [
        "PROXY UNKNOWN\r\n", "PROXY UNKNOWN \r\n", "PROXY UNKNOWN whatever it is\r\n",
        "PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
    ])
    func `a PROXY line of an unknown connection leaves the socket's address`(line: String) {
        #expect(Self.read(Array(line.utf8)) == .received(.local, line.utf8.count))
    }

    @Test(
        arguments: [
            ("G", .signature), ("GET / HTTP/1.1\r\n", .signature), ("PROXX", .signature), ("proxy TCP4", .signature),
            ("PROXY\t", .signature),
            ("PROXY\r\n", .signature), ("\u{16}\u{3}\u{1}", .signature), ("POST / HTTP/1.1\r\n", .signature),
            ("PRI * HTTP/2.0\r\n", .signature),
            ("PROXY \r\n", .family), ("PROXY  TCP4 1.1.1.1 2.2.2.2 1 2\r\n", .family),
            ("PROXY TCP 1.1.1.1 2.2.2.2 1 2\r\n", .family),
            ("PROXY TCP5 1.1.1.1 2.2.2.2 1 2\r\n", .family), ("PROXY tcp4 1.1.1.1 2.2.2.2 1 2\r\n", .family),
            ("PROXY UDP4 1.1.1.1 2.2.2.2 1 2\r\n", .family), ("PROXY UNKNOWNX\r\n", .family),
            ("PROXY unknown\r\n", .family),
            ("PROXY TCP4\r\n", .fields), ("PROXY TCP4 1.1.1.1 2.2.2.2 1\r\n", .fields),
            ("PROXY TCP4 1.1.1.1 2.2.2.2 1 2 \r\n", .fields),
            ("PROXY TCP4 1.1.1.1 2.2.2.2 1 2 3\r\n", .fields), ("PROXY TCP4 1.1.1.1  2.2.2.2 1 2\r\n", .fields),
            ("PROXY TCP4 1.1.1.1 2.2.2.2 1  2\r\n", .fields), ("PROXY TCP4 1.1.1.1 2.2.2.2  2\r\n", .fields),
            ("PROXY TCP4 ::1 ::1 1 2\r\n", .address), ("PROXY TCP6 1.1.1.1 2.2.2.2 1 2\r\n", .address),
            ("PROXY TCP4 1.1.1.1 ::1 1 2\r\n", .address), ("PROXY TCP6 ::1 2.2.2.2 1 2\r\n", .address),
            ("PROXY TCP4 01.1.1.1 2.2.2.2 1 2\r\n", .address), ("PROXY TCP4 1.1.1 2.2.2.2 1 2\r\n", .address),
            ("PROXY TCP4 256.1.1.1 2.2.2.2 1 2\r\n", .address), ("PROXY TCP4 1.1.1.1 2.2.2.2.2 1 2\r\n", .address),
            ("PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n", .address), ("PROXY TCP6 [::1] ::1 1 2\r\n", .address),
            ("PROXY TCP4 a b 1 2\r\n", .address),
            ("PROXY TCP4 1.1.1.1 2.2.2.2 01 2\r\n", .port), ("PROXY TCP4 1.1.1.1 2.2.2.2 1 65536\r\n", .port),
            ("PROXY TCP4 1.1.1.1 2.2.2.2 -1 2\r\n", .port),
            ("PROXY TCP4 1.1.1.1 2.2.2.2 1 99999999999999999999\r\n", .port),
            ("PROXY TCP4 1.1.1.1 2.2.2.2 00 2\r\n", .port), ("PROXY TCP4 1.1.1.1 2.2.2.2 1 +2\r\n", .port),
            ("PROXY TCP4 1.1.1.1 2.2.2.2 1 2\n", .lineByte), ("PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\r\n", .lineByte),
            ("PROXY TCP4 1.1.1.1\t2.2.2.2 1 2\r\n", .lineByte), ("PROXY TCP4 1.1.1.1 2.2.2.2 1 2\rX", .lineByte),
            ("PROXY UNKNOWN \u{0}", .lineByte), ("PROXY UNKNOWN \u{7F}", .lineByte), ("PROXY UNKNOWN é", .lineByte),
            ("PROXY T\n", .lineByte),
        ] as [(String, ProxyHeaderRejection)])
    func `an invalid PROXY line is refused as early as possible`(line: String, rejection: ProxyHeaderRejection) {
        #expect(Self.read(Array(line.utf8)) == .refused(rejection))
    }

    @Test func `a PROXY line has at most 107 bytes including its end`() {
        let longest = "PROXY UNKNOWN " + String(repeating: "x", count: 91)
        #expect(Self.read(Array((longest + "\r\n").utf8)) == .received(.local, 107))
        #expect(Self.read(Array((longest + "\r").utf8)) == .incomplete)
        #expect(Self.read(Array((longest + "x").utf8)) == .incomplete)
        for end in ["x\r\n", "x\r", "xx", "xx\r\n"] {
            #expect(Self.read(Array((longest + end).utf8)) == .refused(.lineTooLong), "\(end)")
        }
        #expect(
            Self.read(Array(("PROXY UNKNOWN " + String(repeating: "x", count: 5_000)).utf8)) == .refused(.lineTooLong))
    }

    // MARK: Version 2

    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    private static func block(_ family: UInt8, _ rest: [UInt8], command: UInt8 = 0x21, length: Int? = nil) -> [UInt8] {
        let length = length ?? rest.count
        return signature + [command, family, UInt8(length >> 8), UInt8(length & 0xFF)] + rest
    }

    private static let ipv4: [UInt8] = [192, 0, 2, 7, 198, 51, 100, 2, 0xDC, 0x04, 0x01, 0xBB]
    private static let ipv6: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 9, count: 20)

    private static func vector(_ type: UInt8, _ value: [UInt8]) -> [UInt8] {
        [type, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
    }

    @Test func `a PROXY block states the client for each family and transport, and its TLVs are skipped`() throws {
        let vectors = Self.vector(0x02, Array("api.example".utf8)) + Self.vector(0x04, []) + Self.vector(0xEA, [1, 2])
        for extra in [[], vectors] {
            for (family, addresses, client) in [
                (UInt8(0x11), Self.ipv4, "192.0.2.7"), (0x12, Self.ipv4, "192.0.2.7"), (0x21, Self.ipv6, "2001:db8::7"),
                (0x22, Self.ipv6, "2001:db8::7"),
            ] {
                let block = Self.block(family, addresses + extra)
                #expect(Self.read(block) == .received(try Self.client(client), block.count))
            }
            for family in [UInt8(0x31), 0x32] {
                let block = Self.block(family, [UInt8](repeating: 0x2F, count: 216) + extra)
                #expect(Self.read(block) == .received(.local, block.count))
            }
        }
    }

    @Test(arguments: [UInt8(0x00), 0x11, 0x21, 0xFF])
    func `a PROXY block of the proxy's own connection is skipped, whatever it contains`(family: UInt8) {
        for rest in [[], [1], Self.ipv4, Self.ipv6, [UInt8](repeating: 3, count: 4_080)] {
            #expect(Self.read(Self.block(family, rest, command: 0x20)) == .received(.local, 16 + rest.count))
            if family == 0x00 { #expect(Self.read(Self.block(family, rest)) == .received(.local, 16 + rest.count)) }
        }
    }

    @Test func `any other version, command, family or transport is refused`() {
        for byte in UInt8.min...UInt8.max {
            let block = Self.signature + [byte]
            switch (byte >> 4, byte & 0xF) {
            case (2, 0), (2, 1): #expect(Self.read(block) == .incomplete)
            case (2, _): #expect(Self.read(block) == .refused(.command))
            default: #expect(Self.read(block) == .refused(.version))
            }
            let isKnown = [0x00, 0x11, 0x12, 0x21, 0x22, 0x31, 0x32].contains(byte)
            #expect(Self.read(Self.signature + [0x21, byte]) == (isKnown ? .incomplete : .refused(.family)))
        }
    }

    @Test func `a length too short for the addresses or over the limit is refused before the rest arrives`() {
        for (family, shortest) in [(UInt8(0x11), 12), (0x12, 12), (0x21, 36), (0x22, 36), (0x31, 216), (0x32, 216)] {
            #expect(Self.read(Self.block(family, [], length: shortest - 1)) == .refused(.blockTooShort))
            #expect(Self.read(Self.block(family, [], length: 0)) == .refused(.blockTooShort))
            #expect(Self.read(Self.block(family, [], length: shortest)) == .incomplete)
        }
        for command in [UInt8(0x20), 0x21] {
            #expect(Self.read(Self.block(0x00, [], command: command, length: ProxyBlock.longest - 16)) == .incomplete)
            for length in [ProxyBlock.longest - 15, 65_535] {
                #expect(Self.read(Self.block(0x00, [], command: command, length: length)) == .refused(.blockTooLong))
            }
        }
    }

    @Test func `TLVs must fill the PROXY block exactly`() throws {
        for (vectors, isFine) in [
            ([], true), ([0x04, 0, 0], true), ([0x04, 0, 1, 9], true), ([0x04], false), ([0x04, 0], false),
            ([0x04, 0, 1], false),
            ([0x04, 0xFF, 0xFF], false), ([0x04, 0, 1, 9, 0x04], false), ([0x04, 0, 0, 0x04, 0, 2, 1], false),
            ([0x03, 0, 3, 1, 2, 3], false),
            ([0x03, 0, 0], false), ([0x03, 0, 5, 1, 2, 3, 4, 5], false),
        ] as [([UInt8], Bool)] {
            let block = Self.block(0x11, Self.ipv4 + vectors)
            #expect(
                Self.read(block)
                    == (isFine ? .received(try Self.client("192.0.2.7"), block.count) : .refused(.vectors)),
                "\(vectors)")
        }
    }

    /// HAProxy's own checksums are verified end to end.
    @Test func `a checksum is verified, and a change of any bit is detected`() throws {
        var block = Self.block(0x11, Self.ipv4 + Self.vector(0x04, [7]) + Self.vector(0x03, [0, 0, 0, 0]))
        let checksum = Self.castagnoli(block)
        block.replaceSubrange(
            block.count - 4..<block.count,
            with: (0..<4).reversed().map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) })
        #expect(Self.read(block) == .received(try Self.client("192.0.2.7"), block.count))
        for index in 16..<28 {
            for bit in 0..<8 {
                var damaged = block
                damaged[index] ^= 1 << bit
                #expect(Self.read(damaged) == .refused(.checksum))
            }
        }
        let twice = Self.block(0x11, Self.ipv4 + Self.vector(0x03, [0, 0, 0, 0]) + Self.vector(0x03, [0, 0, 0, 0]))
        #expect(Self.read(twice) == .refused(.vectors))
    }

    /// The same polynomial in the other direction: bit by bit from the highest power, over reflected bytes.
    private static func castagnoli(_ bytes: [UInt8]) -> UInt32 {
        var remainder = UInt32.max
        for byte in bytes {
            for bit in 0..<8 {
                let isOdd = (remainder >> 31) ^ UInt32(byte >> bit & 1) == 1
                remainder = isOdd ? remainder << 1 ^ 0x1EDC_6F41 : remainder << 1
            }
        }
        var reflected: UInt32 = 0
        for bit in 0..<32 where remainder >> bit & 1 == 1 { reflected |= 1 << (31 - bit) }
        return ~reflected
    }

    // MARK: Arrival

    @Test func `a PROXY header cut off anywhere is incomplete, and bytes after it are left unread`() throws {
        let headers: [[UInt8]] = [
            Array("PROXY TCP4 192.0.2.7 198.51.100.2 56324 443\r\n".utf8),
            Array("PROXY TCP6 2001:db8::7 ::1 1 2\r\n".utf8),
            Array("PROXY UNKNOWN\r\n".utf8), Self.block(0x11, Self.ipv4),
            Self.block(0x21, Self.ipv6 + Self.vector(0x04, [1])),
            Self.block(0, [], command: 0x20),
            Self.block(0x31, [UInt8](repeating: 0, count: 216)),
        ]
        for header in headers {
            let whole = Self.read(header)
            guard case .received(_, header.count) = whole else {
                Issue.record("\(header) is not read: \(whole)")
                continue
            }
            for count in 0..<header.count {
                #expect(Self.read(Array(header.prefix(count))) == .incomplete, "\(count) of \(header.count)")
            }
            for rest in [
                Array("GET / HTTP/1.1\r\n".utf8), [0x16, 3, 1, 2, 0], header, [UInt8](repeating: 0xFF, count: 8_000),
            ] {
                #expect(Self.read(header + rest) == whole)
            }
        }
    }

    @Test func `random bytes never cause a read out of bounds, and more bytes never change a verdict`() {
        var state: UInt64 = 2
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let seeds = [
            Array("PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n".utf8), Array("PROXY UNKNOWN x\r\n".utf8),
            Self.block(0x11, Self.ipv4 + Self.vector(0x03, [1, 2, 3, 4])),
            Self.block(0x21, Self.ipv6 + Self.vector(0x04, [1, 2])), Self.block(0x31, [1, 2, 3], command: 0x20),
        ]
        for _ in 0..<20_000 {
            var bytes = seeds[random(seeds.count)]
            for _ in 0..<random(4) { bytes[random(bytes.count)] = UInt8(random(256)) }
            let whole = Self.read(bytes + [0x47])
            for count in [random(bytes.count + 1), bytes.count] {
                let part = Self.read(Array(bytes.prefix(count)))
                #expect(part == .incomplete || part == whole)
            }
        }
    }
}
