import Foundation

/// A client's end of an HTTP/2 connection with one request at a time.
struct FrameReader {
    struct Failure: Error { let what: String }

    /// True once the server has sent GOAWAY.
    private(set) var isTold = false
    private let connection: RawConnection
    /// Offset up to which the received bytes were read.
    private var offset = 0

    init(_ connection: RawConnection) {
        self.connection = connection
    }

    // MARK: Writing

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8] = []) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
            + (0..<4).map { UInt8(truncatingIfNeeded: stream >> UInt32(24 - 8 * $0)) } + payload
    }

    /// Literal fields without indexing (RFC 7541 §6.2.2).
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { name, value in [0] + text(name) + text(value) }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var rest = bytes.count - 127
        var length: [UInt8] = [127]
        while rest >= 128 {
            length.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    // MARK: Reading

    /// Takes frames up to the end of a stream, whose status must be 200.
    mutating func answer(stream: UInt32) -> Result<Void, Failure> {
        while true {
            guard let (type, flags, number, payload) = next(atMost: .seconds(20)) else {
                return .failure(Failure(what: "the end"))
            }
            attend(type, flags, payload)
            guard number == stream else { continue }
            // Status 200 as the gateway encodes it: an entry of the static table (RFC 7541, appendix A).
            if type == 1, Self.afterTableSizes(payload).first != 0x88 {
                return .failure(Failure(what: "another status"))
            }
            if type == 3 { return .failure(Failure(what: "reset \(payload)")) }
            if type <= 1, flags & 1 != 0 { return .success(()) }
        }
    }

    /// A field section without the table size updates at its beginning (RFC 7541 §6.3).
    private static func afterTableSizes(_ section: [UInt8]) -> ArraySlice<UInt8> {
        var rest = section[...]
        while let first = rest.first, first & 0xE0 == 0x20 {
            rest.removeFirst()
            guard first == 0x3F else { continue }
            // An integer that continues in further bytes (§5.1).
            while let next = rest.popFirst(), next & 0x80 != 0 {}
        }
        return rest
    }

    /// Reads the frames received since the last call.
    mutating func takeWhatIsThere() {
        while let (type, flags, _, payload) = next(atMost: .zero) { attend(type, flags, payload) }
    }

    private mutating func attend(_ type: UInt8, _ flags: UInt8, _ payload: [UInt8]) {
        switch type {
        case 0 where !payload.isEmpty:
            connection.send(Self.frame(8, stream: 0, [0, 0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]))
        case 4 where flags & 1 == 0: connection.send(Self.frame(4, flags: 1, stream: 0))
        case 6 where flags & 1 == 0: connection.send(Self.frame(6, flags: 1, stream: 0, payload))
        case 7: isTold = true
        default: break
        }
    }

    private mutating func next(atMost limit: Duration) -> (type: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])?
    {
        let start = offset
        func end(_ bytes: [UInt8]) -> Int? {
            guard bytes.count >= start + 9 else { return nil }
            let end = start + 9 + Int(bytes[start]) << 16 + Int(bytes[start + 1]) << 8 + Int(bytes[start + 2])
            return bytes.count >= end ? end : nil
        }
        connection.receiveBytes(atMost: limit) { end($0) != nil }
        let bytes = connection.received
        guard let end = end(bytes) else { return nil }
        let stream = bytes[start + 5..<start + 9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        defer {
            offset = end
            if end == bytes.count {
                connection.forgetReceived()
                offset = 0
            }
        }
        return (bytes[start + 3], bytes[start + 4], stream, Array(bytes[start + 9..<end]))
    }
}
