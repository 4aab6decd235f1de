import Foundation
import NIOCore
import NIOPosix
import Synchronization

@testable import NameLookup

/// A name server on UDP and TCP with scripted answers.
final class ScriptedNameServer: Sendable {
    struct Question: Hashable, Sendable {
        let name: String
        let type: RecordType
    }

    struct Record: Sendable {
        enum Content: Sendable {
            case address([UInt8])
            case name(String)
        }

        let owner: String
        let seconds: UInt32
        let content: Content

        static func a(_ owner: String, _ seconds: UInt32, _ address: [UInt8]) -> Record {
            Record(owner: owner, seconds: seconds, content: .address(address))
        }

        static func cname(_ owner: String, _ seconds: UInt32, _ target: String) -> Record {
            Record(owner: owner, seconds: seconds, content: .name(target))
        }
    }

    enum Reply: Sendable {
        case records([Record])
        /// Response code by its number (RFC 1035 §4.1.1).
        case code(UInt8)
        case silence
        /// These bytes instead of an answer.
        case bytes([UInt8])
        /// The answer's head, with these bytes where records should be.
        case broken([UInt8])
        /// Only the truncation bit, which sends the client to TCP, where the records are returned.
        case truncated([Record])
    }

    private struct State {
        var replies: [Question: Reply] = [:]
        var questions: [Question] = []
        var overTCP = 0
    }

    private let state = Mutex(State())
    private let channels: [any Channel]
    let port: Int

    /// - Parameter port: port of the server; 0 for a free one.
    static func start(_ address: String = "127.0.0.1", port: Int = 0) async throws -> ScriptedNameServer {
        var attempts = 0
        while true {
            do {
                return try await ScriptedNameServer(address, port)
            } catch {
                // The port may be in use for UDP or TCP.
                attempts += 1
                guard attempts < 10 else { throw error }
            }
        }
    }

    private init(_ address: String, _ port: Int) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let owner = Owner()
        let datagrams = try await DatagramBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DatagramHandler(owner))
                }
            }
            .bind(host: address, port: port).get()
        let bound = datagrams.localAddress?.port ?? 0
        do {
            let streams = try await ServerBootstrap(group: group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(StreamHandler(owner))
                    }
                }
                .bind(host: address, port: bound).get()
            channels = [datagrams, streams]
        } catch {
            try? await datagrams.close()
            throw error
        }
        self.port = bound
        let server = self
        owner.server.withLock { $0 = server }
    }

    func stop() async {
        for channel in channels { try? await channel.close() }
    }

    // MARK: What it answers

    func answer(_ name: String, _ type: RecordType, _ reply: Reply) {
        state.withLock { $0.replies[Question(name: name, type: type)] = reply }
    }

    /// Sets the addresses of both families; an empty list means the name has no such record.
    func answer(_ name: String, a: [[UInt8]] = [], aaaa: [[UInt8]] = [], seconds: UInt32 = 30) {
        answer(name, .a, .records(a.map { .a(name, seconds, $0) }))
        answer(name, .aaaa, .records(aaaa.map { .a(name, seconds, $0) }))
    }

    func fail(_ name: String, _ reply: Reply) {
        for type in [RecordType.a, .aaaa] { answer(name, type, reply) }
    }

    func questions(_ name: String) -> Int { state.withLock { $0.questions.count { $0.name == name } } }
    var names: [String] { state.withLock { $0.questions.map(\.name) } }
    var questionsOverTCP: Int { state.withLock { $0.overTCP } }

    // MARK: Messages

    /// Answer to a message. Nil if there is none.
    fileprivate func reply(to message: [UInt8], overTCP: Bool) -> [UInt8]? {
        guard message.count > 16, let (name, end) = Self.name(in: message) else { return nil }
        guard let type = RecordType(rawValue: CInt(message[end + 1])) else { return nil }
        let question = Question(name: name, type: type)
        let reply = state.withLock { state in
            state.questions.append(question)
            if overTCP { state.overTCP += 1 }
            // An unknown name does not exist.
            return state.replies[question] ?? .code(3)
        }
        let asked = Array(message[12..<end + 4])
        func answer(_ second: UInt8, _ third: UInt8, records: Int, _ rest: [UInt8]) -> [UInt8] {
            var head: [UInt8] = [message[0], message[1], second, third, 0, 1]
            head += [UInt8(records >> 8), UInt8(records & 0xFF), 0, 0, 0, 0]
            return head + asked + rest
        }
        switch reply {
        case .silence: return nil
        case .bytes(let bytes): return bytes
        case .broken(let bytes): return answer(0x81, 0x80, records: 1, bytes)
        case .code(let code): return answer(0x81, 0x80 | code, records: 0, [])
        case .records(let records): return answer(0x81, 0x80, records: records.count, records.flatMap(Self.bytes))
        case .truncated where !overTCP: return answer(0x83, 0x80, records: 0, [])
        case .truncated(let records): return answer(0x81, 0x80, records: records.count, records.flatMap(Self.bytes))
        }
    }

    /// The name of the question, and the index after it.
    private static func name(in message: [UInt8]) -> (String, Int)? {
        var labels: [String] = []
        var index = 12
        while index < message.count, message[index] > 0 {
            let end = index + 1 + Int(message[index])
            guard end < message.count else { return nil }
            labels.append(String(decoding: message[index + 1..<end], as: UTF8.self))
            index = end
        }
        return index + 4 < message.count ? (labels.joined(separator: "."), index + 1) : nil
    }

    private static func bytes(_ record: Record) -> [UInt8] {
        let (type, data): (UInt8, [UInt8]) =
            switch record.content {
            case .address(let address): (address.count == 4 ? 1 : 28, address)
            case .name(let name): (5, encoded(name))
            }
        let seconds = (0..<4).map { UInt8(truncatingIfNeeded: record.seconds >> (24 - 8 * $0)) }
        var bytes = encoded(record.owner)
        bytes += [0, type, 0, 1] as [UInt8]
        bytes += seconds
        bytes += [0, UInt8(data.count)] as [UInt8]
        return bytes + data
    }

    private static func encoded(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

}

/// Reference from a channel to its server, which exists a moment later.
private final class Owner: Sendable {
    let server = Mutex<ScriptedNameServer?>(nil)

    func reply(to message: [UInt8], overTCP: Bool) -> [UInt8]? {
        server.withLock { $0 }?.reply(to: message, overTCP: overTCP)
    }
}

private final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    private let owner: Owner

    init(_ owner: Owner) { self.owner = owner }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let datagram = unwrapInboundIn(data)
        guard let reply = owner.reply(to: Array(datagram.data.readableBytesView), overTCP: false) else { return }
        let answer = AddressedEnvelope(remoteAddress: datagram.remoteAddress, data: ByteBuffer(bytes: reply))
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }
}

private final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let owner: Owner
    private var received = ByteBuffer()

    init(_ owner: Owner) { self.owner = owner }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        // Each message follows its length (RFC 1035 §4.2.2).
        while let message = received.readLengthPrefixedSlice(as: UInt16.self) {
            guard let reply = owner.reply(to: Array(message.readableBytesView), overTCP: true) else { continue }
            var answer = ByteBuffer(integer: UInt16(reply.count))
            answer.writeBytes(reply)
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
    }
}
