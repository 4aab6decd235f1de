import NIOCore
import TestSupport
import Testing

@testable import HTTP2Sessions

/// Valid conversations with changed bytes: nothing crashes and nothing leaks.
struct MutationTests {
    /// Bytes of both sides of a conversation that uses every feature.
    private static let conversation: (client: [UInt8], server: [UInt8]) = {
        let pair = Connection(webSockets: true)
        var sent: (client: [UInt8], server: [UInt8]) = ([], [])
        func carry() {
            let bytes = pair.client.output()
            sent.client += bytes
            pair.server.read(bytes)
            for event in pair.server.events() where event.hasPrefix("head") {
                answer(Int32(event.split(separator: " ")[1]) ?? 0)
            }
            let answer = pair.server.output()
            sent.server += answer
            pair.client.read(answer)
            _ = pair.client.events()
        }
        func answer(_ number: Int32) {
            pair.server.session.submitInterim(.init([(":status", "103")]), to: pair.server.stream(number))
            pair.server.answer(number, String(repeating: "a", count: 300))
        }
        for round in 0..<4 {
            if let number = pair.client.request(.init(Wire.post + [("x-\(round)", "é")]), ends: false) {
                pair.client.session.append(ByteBuffer(repeating: 7, count: 200), to: pair.client.stream(number))
                pair.client.session.end(pair.client.stream(number), trailers: .init([("a", "b")]))
            }
            let other = pair.client.request()
            pair.client.session.ping(7)
            carry()
            if round == 2, let other { pair.client.session.reset(pair.client.stream(other), .cancel) }
        }
        pair.server.session.submitShutdownNotice()
        carry()
        return sent
    }()

    private static func mutated(_ bytes: [UInt8], _ generator: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...20, using: &generator)))
            case 3: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 40)], at: index)
            default: bytes.insert(UInt8.random(in: 0...9, using: &generator), at: index)
            }
            if bytes.isEmpty { bytes = [0] }
        }
        return bytes
    }

    /// Reads bytes in pieces and answers every request.
    private static func run(
        _ end: SessionEnd<some HTTP2Session>, _ bytes: [UInt8], _ generator: inout some RandomNumberGenerator
    ) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...max(1, rest.count), using: &generator)
            end.read(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
            var heads: [HTTP2Stream] = []
            while let event = end.session.nextEvent() {
                switch event {
                case .head(let stream, let block, _):
                    let isLawful = block.bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 }
                    let names = block.entries.flatMap { block.bytes[$0.name] }
                    #expect(isLawful && names.allSatisfy { $0 &- 0x41 >= 26 && $0 != 0x20 })
                    heads.append(stream)
                    end.storage.recycle(block)
                case .interim(_, let block), .trailers(_, let block): end.storage.recycle(block)
                case .data(let stream, let content, _): end.session.consume(stream, content.readableBytes)
                default: break
                }
            }
            if let server = end.session as? HTTP2ServerSession {
                for stream in heads { answer(server, stream, Int.random(in: 0..<4, using: &generator)) }
            }
            _ = end.output(limit: Int.random(in: 1...40_000, using: &generator))
        }
        _ = end.output()
    }

    private static func answer(_ session: HTTP2ServerSession, _ stream: HTTP2Stream, _ kind: Int) {
        if kind == 0 { return session.reset(stream, .cancel) }
        session.submitHead(.init([(":status", "200")]), to: stream, endsStream: kind == 1)
        session.append(ByteBuffer(repeating: 1, count: 3000), to: stream)
        if kind == 2 { session.end(stream, trailers: .init([("x", "y")])) } else { session.dismissUpload(of: stream) }
    }

    @Test(arguments: Effort.some(0..<4, quick: 1)) func `5000 mutated conversations leak nothing`(seed: UInt64) {
        var generator = Generator(state: seed + 1)
        let storage = HTTP2Storage(budgetPeriod: 30)
        let conversation = Self.conversation
        for _ in 0..<2500 {
            Self.run(
                ServerEnd(webSockets: true, begins: false, storage: storage),
                Self.mutated(conversation.client, &generator), &generator)
            #expect(storage.libraryAllocations == 0)
            let client = ClientEnd(storage: storage)
            for _ in 0..<4 {
                client.request(.init(Wire.post), ends: false)
                client.request()
            }
            Self.run(client, Self.mutated(conversation.server, &generator), &generator)
        }
        #expect(storage.libraryAllocations == 0)
    }

    @Test func `the unmutated conversation succeeds`() {
        var generator = Generator(state: 9)
        let server = ServerEnd(webSockets: true, begins: false)
        Self.run(server, Self.conversation.client, &generator)
        #expect(!server.session.hasFailed)
        #expect(Wire.frames(Self.conversation.server).count > 20)
    }
}

/// The same numbers on every run (xorshift64).
struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
