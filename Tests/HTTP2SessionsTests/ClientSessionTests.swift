import NIOCore
import Testing

@testable import HTTP2Sessions

struct ClientSessionTests {
    /// A client that knows its upstream's settings.
    private static func client(settings: [UInt8] = []) -> ClientEnd {
        let client = ClientEnd()
        client.read(Wire.frame(.settings, settings) + Wire.frame(.settings, flags: 1))
        _ = client.events()
        return client
    }

    @Test func `a client session begins with the preface and settings that disable push`() {
        let bytes = ClientEnd().output()
        #expect(Array(bytes.prefix(24)) == Wire.preface)
        let frames = Wire.frames(Array(bytes.dropFirst(24)))
        #expect(frames.first?.payload.prefix(12) == [0, 2, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0])
    }

    @Test func `a request reaches the server and its response the client, with content and trailers`() {
        let pair = Connection()
        pair.client.request(.init(Wire.post), ends: false)
        let request = pair.client.stream()
        pair.client.session.append(ByteBuffer(string: "one"), to: request)
        pair.client.session.end(request, trailers: .init([("x-end", "1")]))
        #expect(
            pair.exchange().server == [
                "settings", "head 1 :method=POST :scheme=http :path=/a :authority=api.example", "data 1 one",
                "trailers 1 x-end=1",
            ])
        let stream = pair.server.stream()
        pair.server.session.submitInterim(.init([(":status", "103"), ("link", "a")]), to: stream)
        pair.server.session.submitHead(.init([(":status", "200")]), to: stream, endsStream: false)
        pair.server.session.append(ByteBuffer(string: "two"), to: stream)
        pair.server.session.end(stream, trailers: .init([("grpc-status", "0")]))
        #expect(
            pair.exchange().client == [
                "interim 1 :status=103 link=a!", "head 1 :status=200", "data 1 two", "trailers 1 grpc-status=0!",
                "closed 1 complete",
            ])
        #expect(pair.client.session.streamCount == 0 && pair.server.session.streamCount == 0)
    }

    @Test func `a final head after an interim one is no trailer section`() {
        let client = Self.client()
        client.request()
        _ = client.output()
        let interim = Wire.frame(.headers, flags: 4, stream: 1, Wire.block([(":status", "100")]))
        client.read(interim + interim + Wire.frame(.headers, flags: 4, stream: 1, Wire.block([(":status", "204")])))
        #expect(client.events() == ["interim 1 :status=100", "interim 1 :status=100", "head 1 :status=204"])
        client.read(Wire.frame(.headers, flags: 5, stream: 1, Wire.block([("a", "b")])))
        #expect(client.events() == ["trailers 1 a=b", "closed 1 complete"])
    }

    @Test func `a hundred requests may begin before the settings arrive, then the peer's limit applies`() {
        let client = ClientEnd()
        for number in 0..<100 { #expect(client.request() == Int32(2 * number + 1)) }
        #expect(client.request() == nil)
        _ = client.output()
        let other = ClientEnd()
        #expect(other.request() == 1)
        other.read(Wire.frame(.settings, [0, 3, 0, 0, 0, 2]))
        #expect(other.events() == ["settings"])
        #expect(other.session.streamLimit == 2)
        #expect(other.request() == 3)
        #expect(!other.session.mayRequest)
        #expect(other.request() == nil)
        _ = other.output()
        other.read(Wire.frame(.headers, flags: 5, stream: 1, Wire.block([(":status", "200")])))
        #expect(other.events() == ["head 1 :status=200 end", "closed 1 complete"])
        #expect(other.request() == 5)
    }

    @Test func `our own limit of streams holds even if the upstream allows more`() {
        let client = ClientEnd(limits: HTTP2Limits(concurrentStreams: 3))
        client.read(Wire.frame(.settings))
        for _ in 0..<3 { #expect(client.request() != nil) }
        #expect(client.request() == nil)
    }

    @Test func `a request ended by REFUSED_STREAM or GOAWAY is reported as not processed`() {
        let client = Self.client()
        for _ in 0..<4 { client.request() }
        _ = client.output()
        client.read(Wire.reset(1, 7) + Wire.reset(3, 8) + Wire.frame(.goAway, [0, 0, 0, 5, 0, 0, 0, 0]))
        #expect(
            client.events() == ["closed 1 not processed", "closed 3 by peer 8", "goaway 5 0", "closed 7 not processed"])
        #expect(client.request() == nil)
        client.read(Wire.frame(.headers, flags: 5, stream: 5, Wire.block([(":status", "200")])))
        #expect(client.events() == ["head 5 :status=200 end", "closed 5 complete"])
        _ = client.output()
        #expect(client.session.isFinished)
    }

    @Test func `a request that was not yet sent is reported as not processed after GOAWAY`() {
        let client = Self.client()
        client.request()
        _ = client.output()
        client.request()
        client.request(.init(Wire.post), ends: false)
        client.read(Wire.frame(.goAway, [0, 0, 0, 1, 0, 0, 0, 0]))
        #expect(!client.frames().contains { $0.type == 1 })
        #expect(Set(client.events()) == ["goaway 1 0", "closed 3 not sent", "closed 5 not sent"])
        #expect(client.session.streamCount == 1)
    }

    /// nghttp2 reports nothing about requests that it holds back.
    @Test func `unsent requests beyond the limit of late settings are reported as not processed`() {
        let client = ClientEnd()
        client.request()
        _ = client.output()
        client.request()
        client.request()
        client.read(Wire.frame(.settings, [0, 3, 0, 0, 0, 1]) + Wire.frame(.goAway, [0, 0, 0, 1, 0, 0, 0, 0]))
        #expect(client.frames(.headers).isEmpty)
        #expect(Set(client.events()) == ["settings", "goaway 1 0", "closed 3 not sent", "closed 5 not sent"])
        #expect(client.session.streamCount == 1)
    }

    // MARK: Requests that the library holds back

    private static func limit(_ streams: UInt8) -> [UInt8] { Wire.frame(.settings, [0, 3, 0, 0, 0, streams]) }

    @Test(arguments: [UInt8(0), 1])
    func `unsent requests beyond a lowered limit are returned, and not sent when the limit rises`(
        limit: UInt8
    ) {
        let client = Self.client()
        client.request()
        _ = client.output()
        client.request()
        client.request(.init(Wire.post), ends: false)
        client.session.append(ByteBuffer(string: "content"), to: client.stream(5))
        client.session.end(client.stream(5), trailers: .init([("x-end", "1")]))
        client.read(Self.limit(limit))
        #expect(client.frames().map(\.type) == [4])
        #expect(client.events() == ["settings", "closed 3 not sent", "closed 5 not sent"])
        #expect(client.session.streamCount == 1 && !client.session.mayRequest)
        #expect(client.session.peerTakesNoRequests == (limit == 0))
        client.read(Self.limit(100))
        #expect(client.frames().map(\.type) == [4])
        #expect(client.events() == ["settings"])
        // Skipped stream numbers are harmless (RFC 9113 §5.1.1).
        #expect(client.request() == 7)
        #expect(client.frames().map { "\($0.type) \($0.stream)" } == ["1 7"])
        client.read(Wire.frame(.headers, flags: 5, stream: 7, Wire.block([(":status", "200")])))
        #expect(client.events() == ["head 7 :status=200 end", "closed 7 complete"])
    }

    @Test func `requests up to a lowered limit are sent, and a returned request frees its slot`() {
        let client = Self.client()
        client.request()
        _ = client.output()
        for _ in 0..<3 { client.request() }
        client.read(Self.limit(2))
        #expect(client.frames(.headers).map(\.stream) == [3])
        #expect(client.events() == ["settings", "closed 5 not sent", "closed 7 not sent"])
        #expect(client.session.isSent(client.stream(1)) && client.session.isSent(client.stream(3)))
        client.read(Wire.reset(1) + Wire.reset(3))
        #expect(client.events() == ["closed 1 by peer 8", "closed 3 by peer 8"])
        for number in [Int32(9), 11] { #expect(client.request() == number) }
        #expect(client.stream(9).slot <= 3 && client.stream(11).slot <= 3)
    }

    @Test func `a request cancelled while it is held back closes, and nothing of it is sent`() {
        let client = Self.client()
        client.request()
        _ = client.output()
        client.request()
        client.read(Self.limit(1))
        client.session.reset(client.stream(3), .cancel)
        #expect(client.frames().map(\.type) == [4])
        #expect(client.events() == ["settings", "closed 3 reset 8"])
        client.read(Self.limit(100))
        #expect(client.frames().map(\.type) == [4])
        #expect(client.session.streamCount == 1)
    }

    @Test func `no request is returned while serialized output is unread`() {
        let client = Self.client()
        client.request()
        _ = client.output()
        client.request()
        client.read(Self.limit(1))
        client.session.serialize(limit: 1)
        #expect(client.events() == ["settings"])
        #expect(!client.session.isSent(client.stream(3)))
        // The stream that blocks it ends first.
        client.read(Wire.reset(1))
        #expect(client.frames(.headers).map(\.stream) == [3])
        #expect(client.events() == ["closed 1 by peer 8"])
        #expect(client.session.isSent(client.stream(3)))
    }

    @Test func `after the connection failed, unsent requests are known as such`() {
        let client = Self.client()
        client.request()
        _ = client.output()
        client.request()
        client.read(Wire.frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2] + Wire.block(Wire.get)))
        #expect(client.session.isSent(client.stream(1)) && !client.session.isSent(client.stream(3)))
        #expect(client.frames(.headers).isEmpty)
        #expect(Set(client.events()).isSuperset(of: ["failed 1", "closed 3 not sent"]))
    }

    /// Random limits, requests, cancellations and rounds of output: each request is on the wire once, or was returned
    /// as not sent.
    @Test(arguments: 0..<100 as Range<UInt64>) func `every request is either sent or returned, never both`(
        seed: UInt64
    ) {
        var generator = Generator(state: (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15)
        let client = Self.client()
        _ = client.output()
        var (sent, unsent, open) = ([Int32](), [Int32](), [Int32]())
        var (begun, limit, mostOpen) = ([Int32](), 100, 0)
        func drain() {
            for frame in client.frames() {
                #expect([1, 4].contains(frame.type), "\(frame)")
                guard frame.type == 1 else { continue }
                sent.append(Int32(frame.stream))
                open.append(Int32(frame.stream))
                mostOpen = max(mostOpen, open.count - limit)
            }
            for event in client.events() where event.hasSuffix("not sent") {
                unsent.append(Int32(event.split(separator: " ")[1]) ?? -1)
            }
        }
        for _ in 0..<1000 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                limit = Int.random(in: 0..<6, using: &generator)
                client.read(Self.limit(UInt8(limit)))
            case 1, 2:
                guard let index = open.indices.randomElement(using: &generator) else { continue }
                client.read(
                    Wire.frame(
                        .headers, flags: 5, stream: UInt32(open.remove(at: index)), Wire.block([(":status", "204")])))
            case 3, 4: drain()
            default: if let number = client.request() { begun.append(number) }
            }
        }
        drain()
        #expect(sent.count == Set(sent).count && Set(sent).isDisjoint(with: unsent))
        #expect((sent + unsent).sorted() == begun)
        #expect(!unsent.isEmpty && sent.count > 20)
        #expect(mostOpen <= 0)
        #expect(client.session.streamCount == open.count)
    }

    @Test func `a request cancelled before it is sent is never sent`() {
        let client = Self.client()
        _ = client.output()
        client.request()
        client.session.reset(client.stream(), .cancel)
        #expect(client.frames(.headers).isEmpty)
        #expect(client.events() == ["closed 1 reset 8"])
        #expect(client.session.streamCount == 0)
    }

    @Test func `a malformed response resets its stream`() {
        for fields in [[(":status", "200"), ("X", "y")], [("x", "y")], [(":status", "200"), ("connection", "close")]] {
            let client = Self.client()
            client.request()
            _ = client.output()
            client.read(Wire.frame(.headers, flags: 5, stream: 1, Wire.block(fields)))
            #expect(client.events().isEmpty)
            #expect(client.frames(.resetStream).map(\.code) == [1])
            #expect(client.events() == ["closed 1 malformed 1"])
        }
    }

    @Test func `a push promise fails the connection`() {
        let client = Self.client()
        client.request()
        _ = client.output()
        client.read(Wire.frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2] + Wire.block(Wire.get)))
        #expect(client.frames(.goAway).map(\.code) == [1])
        #expect(client.events() == ["failed 1"])
    }

    @Test func `extended CONNECT is allowed only if the upstream's settings say so`() {
        #expect(!ClientEnd().session.peerAllowsConnectProtocol)
        #expect(!Self.client().session.peerAllowsConnectProtocol)
        #expect(Self.client(settings: [0, 8, 0, 0, 0, 1]).session.peerAllowsConnectProtocol)
    }

    @Test func `a tunnel carries bytes both ways until one side closes`() {
        let pair = Connection(webSockets: true)
        pair.exchange()
        #expect(pair.client.session.peerAllowsConnectProtocol)
        let fields: Wire.Fields = [
            (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":path", "/"),
            (":authority", "a"),
        ]
        pair.client.request(.init(fields), ends: false)
        #expect(
            pair.exchange().server == ["head 1 :method=CONNECT :protocol=websocket :scheme=http :path=/ :authority=a"])
        pair.server.session.submitHead(.init([(":status", "200")]), to: pair.server.stream(), endsStream: false)
        #expect(pair.exchange().client == ["head 1 :status=200"])
        pair.client.session.append(ByteBuffer(string: "a"), to: pair.client.stream())
        pair.server.session.append(ByteBuffer(string: "b"), to: pair.server.stream())
        let seen = pair.exchange()
        #expect(seen.client == ["data 1 b"] && seen.server == ["data 1 a"])
        pair.client.session.end(pair.client.stream())
        #expect(pair.exchange().server == ["data 1  end"])
        pair.server.session.end(pair.server.stream())
        #expect(pair.exchange().client == ["data 1  end", "closed 1 complete"])
    }
}
