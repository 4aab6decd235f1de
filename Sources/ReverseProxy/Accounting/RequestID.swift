import HTTPMessages

/// Value of `X-Request-ID`: 128 random bits, or the value that a trusted peer sent.
enum RequestID: Sendable, Hashable {
    case made(UInt64, UInt64)
    case received([UInt8])

    /// Longest received value that is kept, in bytes. Longer ones are replaced, since every log line repeats the value.
    static let longest = 128

    /// Keeps the received value only if the peer is trusted, there is exactly one, and it has only plain characters.
    /// Otherwise makes a random one.
    init(head: RequestHead, peerIsTrusted: Bool, using random: inout some RandomNumberGenerator) {
        if peerIsTrusted, let field = head.first(.xRequestID), head.count(of: .xRequestID) == 1,
            (1...Self.longest).contains(field.value.count), head.slice(field.value).allSatisfy(Self.isPlain)
        {
            self = .received(Array(head.slice(field.value)))
        } else {
            self = .made(random.next(), random.next())
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    var text: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(32)
        append(to: &text)
        return text
    }

    func append(to bytes: inout [UInt8]) {
        switch self {
        case .made(let high, let low): HexadecimalDigits(high, low).append(to: &bytes)
        case .received(let text): bytes.append(contentsOf: text)
        }
    }

    /// Writes the `X-Request-ID` field.
    func write(into head: inout some HeadOutput) {
        switch self {
        case .made(let high, let low): HexadecimalDigits(high, low).withSpan { head.field(.xRequestID, composed: $0) }
        case .received(let text): _ = head.field(.xRequestID, text.span)
        }
    }
}

/// Random numbers for request IDs (xoshiro256**). They must not repeat, but need not be unpredictable: guessing one
/// gains nothing.
struct RequestIDGenerator: RandomNumberGenerator {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    init() {
        var system = SystemRandomNumberGenerator()
        state = (system.next() | 1, system.next(), system.next(), system.next())
    }

    mutating func next() -> UInt64 {
        let scrambled = state.1 &* 5
        let result = (scrambled << 7 | scrambled >> 57) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = state.3 << 45 | state.3 >> 19
        return result
    }
}
