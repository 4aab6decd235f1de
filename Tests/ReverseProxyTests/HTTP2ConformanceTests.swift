import NIOCore
import NIOHPACK
import ProxySettings
import Testing

@testable import ReverseProxy

/// The cases of h2spec, by their numbers, with frames written by the test: from clients that follow RFC 9113 and RFC
/// 7541, and from clients that do not.
///
/// Cases that RFC 9113 changed after h2spec was written follow RFC 9113.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct HTTP2ConformanceTests {
    /// Expected reaction of the gateway to a case.
    enum Outcome: Hashable, Sendable {
        /// A request is answered, on this stream.
        case answer(UInt32 = 1)
        /// The gateway does not react.
        case nothing
        /// The gateway does not react, except that it may close the connection.
        case farewell
        /// The stream is reset with one of these codes, or the connection is closed.
        case stream(Set<UInt32>)
        /// The connection is closed by a GOAWAY with one of these codes.
        case connection(Set<UInt32>)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let number: String
        let what: String
        let outcome: Outcome
        let frames: [[UInt8]]

        init(_ number: String, _ what: String, _ outcome: Outcome, _ frames: [UInt8]...) {
            self.number = number
            self.what = what
            self.outcome = outcome
            self.frames = frames
        }

        var testDescription: String { "\(number): \(what)" }
    }

    // MARK: The cases

    private static let generic = [
        Case("generic/1/1", "the preface", .nothing),
        Case("generic/2/1", "PRIORITY on an idle stream", .answer(3), priority(on: 1), get(3)),
        Case("generic/2/2", "WINDOW_UPDATE on a stream whose request has ended", .nothing, wait(1), window(1, on: 1)),
        Case("generic/2/3", "PRIORITY on a stream whose request has ended", .nothing, wait(1), priority(on: 1)),
        Case("generic/2/4", "RST_STREAM on a stream whose request has ended", .nothing, wait(1), reset(1)),
        Case(
            "generic/2/5", "PRIORITY on a stream that is closed", .answer(3), wait(1), reset(1), priority(on: 1), get(3)
        ),
        Case("generic/3.1/1", "DATA", .answer(), post(1), data("x", ends: true)),
        Case("generic/3.1/2", "DATA twice", .answer(), post(1), data("x"), data("y", ends: true)),
        Case("generic/3.1/3", "DATA with padding", .answer(), post(1), frame(.data, 9, on: 1, [3, 120, 0, 0, 0])),
        Case("generic/3.2/1", "HEADERS", .answer(), get(1)),
        Case(
            "generic/3.2/2", "HEADERS with padding", .answer(),
            frame(.headers, 0xD, on: 1, [2] + block(refused) + [0, 0])),
        Case(
            "generic/3.2/3", "HEADERS with a priority", .answer(),
            frame(.headers, 0x25, on: 1, [0, 0, 0, 0, 16] + block(refused))),
        Case("generic/3.3/1", "PRIORITY with the least weight", .answer(3), priority(on: 1, weight: 0), get(3)),
        Case("generic/3.3/2", "PRIORITY with the greatest weight", .answer(3), priority(on: 1, weight: 255), get(3)),
        Case("generic/3.3/3", "PRIORITY with a dependency", .answer(3), priority(on: 1, [0, 0, 0, 3]), get(3)),
        Case("generic/3.3/4", "PRIORITY that excludes", .answer(3), priority(on: 1, [0x80, 0, 0, 3]), get(3)),
        Case("generic/3.3/5", "PRIORITY on an idle stream, then its request", .answer(), priority(on: 1), get(1)),
        Case("generic/3.4/1", "RST_STREAM", .nothing, wait(1), reset(1)),
        Case("generic/3.5/1", "SETTINGS", .nothing, frame(.settings, on: 0, [0, 3, 0, 0, 0, 100])),
        Case("generic/3.7/1", "PING", .nothing),
        Case("generic/3.8/1", "GOAWAY", .farewell, frame(.goAway, on: 0, [UInt8](repeating: 0, count: 8))),
        Case("generic/3.9/1", "WINDOW_UPDATE of the connection", .nothing, window(1, on: 0)),
        Case("generic/3.9/2", "WINDOW_UPDATE of a stream", .nothing, wait(1), window(1, on: 1)),
        Case(
            "generic/3.10/1", "CONTINUATION", .answer(), frame(.headers, 1, on: 1, block(refused)),
            frame(.continuation, 4, on: 1, block([("x", "y")]))),
        Case(
            "generic/3.10/2", "CONTINUATION twice", .answer(), frame(.headers, 1, on: 1, block(refused)),
            frame(.continuation, 0, on: 1, block([("x", "y")])), frame(.continuation, 4, on: 1, block([("y", "z")]))),
        Case("generic/4/1", "GET", .answer(), get(1)),
        Case("generic/4/2", "HEAD", .answer(), frame(.headers, 5, on: 1, block(request("HEAD", "/private")))),
        Case("generic/4/3", "POST", .answer(), post(1), data("x", ends: true)),
        Case(
            "generic/4/4", "POST with trailers", .answer(), post(1), data("x"),
            frame(.headers, 5, on: 1, block([("x", "y")]))),
        Case("generic/5/1", "a field of the static table", .answer(), indexed([])),
        Case(
            "generic/5/2", "a field of the dynamic table", .answer(3), indexed([0x40] + text("x") + text("y")),
            indexed([0xBE], on: 3)),
        Case("generic/5/3", "a name of the table, remembered", .answer(), indexed([0x50] + text("gzip"))),
        Case(
            "generic/5/4", "a name of the table, remembered, in Huffman's code", .answer(),
            indexed([0x50, 0x83, 0x9B, 0xD9, 0xAB])),
        Case("generic/5/5", "a new name, remembered", .answer(), indexed([0x40] + text("x") + text("y"))),
        Case(
            "generic/5/6", "a new name, remembered, in Huffman's code", .answer(),
            indexed([0x40, 0x81, 0x1F, 0x81, 0x1F])),
        Case("generic/5/7", "a name of the table, not remembered", .answer(), indexed([0x0F, 0x01] + text("gzip"))),
        Case(
            "generic/5/8", "a name of the table, not remembered, in Huffman's code", .answer(),
            indexed([0x0F, 0x01, 0x83, 0x9B, 0xD9, 0xAB])),
        Case("generic/5/9", "a new name, not remembered", .answer(), indexed([0x00] + text("x") + text("y"))),
        Case(
            "generic/5/10", "a new name, not remembered, in Huffman's code", .answer(),
            indexed([0x00, 0x81, 0x1F, 0x81, 0x1F])),
        Case("generic/5/11", "a name of the table, never remembered", .answer(), indexed([0x1F, 0x01] + text("gzip"))),
        Case(
            "generic/5/12", "a name of the table, never remembered, in Huffman's code", .answer(),
            indexed([0x1F, 0x01, 0x83, 0x9B, 0xD9, 0xAB])),
        Case("generic/5/13", "a new name, never remembered", .answer(), indexed([0x10] + text("x") + text("y"))),
        Case(
            "generic/5/14", "a new name, never remembered, in Huffman's code", .answer(),
            indexed([0x10, 0x81, 0x1F, 0x81, 0x1F])),
        Case("generic/5/15", "a table of another size", .answer(), frame(.headers, 5, on: 1, [0x20] + block(refused))),
        Case(
            "generic/5/16", "a table of two other sizes", .answer(),
            frame(.headers, 5, on: 1, [0x20, 0x3F, 0xE1, 0x1F] + block(refused))),
    ]

    private static let frames = [
        Case("http2/4.1/1", "a frame of no known type", .answer(), [0, 0, 4, 200, 0, 0, 0, 0, 0, 1, 2, 3, 4], get(1)),
        Case("http2/4.1/2", "flags that mean nothing", .nothing, frame(.windowUpdate, 0xFF, on: 0, [0, 0, 0, 1])),
        Case("http2/4.1/3", "the reserved bit", .nothing, frame(.windowUpdate, on: 0x8000_0000, [0, 0, 0, 1])),
        Case(
            "http2/4.2/1", "DATA as long as it may be", .answer(), post(1),
            data(String(repeating: "x", count: 16384), ends: true)),
        Case(
            "http2/4.2/2", "DATA that is too long", .stream([frameSize]), post(1, "/"),
            data(String(repeating: "x", count: 16385))),
        Case(
            "http2/4.2/3", "HEADERS that are too long", .connection([frameSize]),
            frame(.headers, 5, on: 1, [UInt8](repeating: 0, count: 16385))),
        Case(
            "http2/4.3/1", "a field block that is none", .connection([compression]),
            frame(.headers, 5, on: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])),
        Case(
            "http2/4.3/2", "PRIORITY within a field block", .connection([protocolError]),
            frame(.headers, 1, on: 1, block(refused)),
            priority(on: 1)),
        Case(
            "http2/4.3/3", "another stream's HEADERS within a field block", .connection([protocolError]),
            frame(.headers, 1, on: 1, block(refused)), get(3)),
        Case("http2/5.5/1", "an unknown frame", .nothing, [0, 0, 0, 0x16, 0, 0, 0, 0, 0]),
        Case(
            "http2/5.5/2", "an unknown frame within a field block", .connection([protocolError]),
            frame(.headers, 1, on: 1, block(refused)),
            [0, 0, 0, 0x16, 0, 0, 0, 0, 1]),
        Case("http2/6.1/1", "DATA of the connection", .connection([protocolError]), frame(.data, on: 0, [1])),
        Case("http2/6.1/2", "DATA on a stream whose request has ended", .stream([streamClosed]), wait(1), data("x")),
        Case(
            "http2/6.1/3", "DATA that is all padding, and more", .connection([protocolError]), post(1, "/"),
            frame(.data, 9, on: 1, [6, 1, 2])),
        Case(
            "http2/6.2/1", "HEADERS without their end, then PRIORITY", .connection([protocolError]),
            frame(.headers, 1, on: 1, block(refused)), priority(on: 1)),
        Case(
            "http2/6.2/2", "HEADERS without their end, then another's", .connection([protocolError]),
            frame(.headers, 0, on: 1, block(refused)), get(3)),
        Case("http2/6.2/3", "HEADERS of the connection", .connection([protocolError]), get(0)),
        Case(
            "http2/6.2/4", "HEADERS that are all padding, and more", .connection([protocolError]),
            frame(.headers, 0xD, on: 1, [200] + block(refused))),
        Case("http2/6.3/1", "PRIORITY of the connection", .connection([protocolError]), priority(on: 0)),
        Case("http2/6.3/2", "PRIORITY of another length", .stream([frameSize]), frame(.priority, on: 1, [0, 0, 0, 1])),
        Case("http2/6.4/1", "RST_STREAM of the connection", .connection([protocolError]), reset(0)),
        Case("http2/6.4/2", "RST_STREAM on an idle stream", .connection([protocolError]), reset(1)),
        Case(
            "http2/6.4/3", "RST_STREAM of another length", .connection([frameSize]), wait(1),
            frame(.resetStream, on: 1, [0, 0, 0])),
        Case(
            "http2/6.5/1", "an acknowledgement that says something", .connection([frameSize]),
            frame(.settings, 1, on: 0, [0])),
        Case("http2/6.5/2", "SETTINGS of a stream", .connection([protocolError]), frame(.settings, on: 1)),
        Case(
            "http2/6.5/3", "SETTINGS of another length", .connection([frameSize]), frame(.settings, on: 0, [0, 3, 0])),
        Case(
            "http2/6.5.2/1", "ENABLE_PUSH neither 0 nor 1", .connection([protocolError]),
            frame(.settings, on: 0, [0, 2, 0, 0, 0, 2])),
        Case(
            "http2/6.5.2/2", "INITIAL_WINDOW_SIZE that is too large", .connection([flowControl]),
            frame(.settings, on: 0, [0, 4, 0x80, 0, 0, 0])),
        Case(
            "http2/6.5.2/3", "MAX_FRAME_SIZE that is too small", .connection([protocolError]),
            frame(.settings, on: 0, [0, 5, 0, 0, 0x3F, 0xFF])),
        Case(
            "http2/6.5.2/4", "MAX_FRAME_SIZE that is too large", .connection([protocolError]),
            frame(.settings, on: 0, [0, 5, 1, 0, 0, 0])),
        Case("http2/6.5.2/5", "a setting that nobody knows", .nothing, frame(.settings, on: 0, [0, 0xFF, 0, 0, 0, 1])),
        Case("http2/6.7/1", "PING", .nothing),
        Case(
            "http2/6.7/2", "an answer to a PING that nobody sent", .nothing,
            frame(.ping, 1, on: 0, [UInt8](repeating: 7, count: 8))),
        Case(
            "http2/6.7/3", "PING of a stream", .connection([protocolError]),
            frame(.ping, on: 1, [UInt8](repeating: 0, count: 8))),
        Case(
            "http2/6.7/4", "PING of another length", .connection([frameSize]), frame(.ping, on: 0, [1, 2, 3, 4, 5, 6])),
        Case(
            "http2/6.8/1", "GOAWAY of a stream", .connection([protocolError]),
            frame(.goAway, on: 1, [UInt8](repeating: 0, count: 8))),
        Case("besides", "GOAWAY of another length", .connection([frameSize]), frame(.goAway, on: 0, [0, 0])),
        Case("http2/6.9/1", "WINDOW_UPDATE by nothing", .connection([protocolError]), window(0, on: 0)),
        Case("http2/6.9/2", "a stream's WINDOW_UPDATE by nothing", .stream([protocolError]), wait(1), window(0, on: 1)),
        Case(
            "http2/6.9/3", "WINDOW_UPDATE of another length", .connection([frameSize]),
            frame(.windowUpdate, on: 0, [0, 0, 1])),
        Case(
            "http2/6.9.1/2", "a window beyond the largest", .connection([flowControl]), window(0x7FFF_FFFF, on: 0),
            window(0x7FFF_FFFF, on: 0)),
        Case(
            "http2/6.9.1/3", "a stream's window beyond the largest", .stream([flowControl]), wait(1),
            window(0x7FFF_FFFF, on: 1)),
        Case(
            "http2/6.9.2/3", "an initial window beyond the largest", .connection([flowControl]),
            frame(.settings, on: 0, [0, 4, 0xFF, 0xFF, 0xFF, 0xFF])),
        Case(
            "http2/6.10/1", "CONTINUATION three times", .answer(), frame(.headers, 1, on: 1, block(refused)),
            frame(.continuation, 0, on: 1, block([("x", "y")])), frame(.continuation, 0, on: 1, block([("y", "z")])),
            frame(.continuation, 4, on: 1)),
        Case(
            "http2/6.10/2", "CONTINUATION and something else behind it", .connection([protocolError]),
            frame(.headers, 1, on: 1, block(refused)),
            frame(.continuation, 0, on: 1, block([("x", "y")])), data("x")),
        Case(
            "http2/6.10/3", "CONTINUATION of the connection", .connection([protocolError]),
            frame(.headers, 1, on: 1, block(refused)),
            frame(.continuation, 4, on: 0, block([("x", "y")]))),
        Case(
            "http2/6.10/4", "CONTINUATION behind the end of HEADERS", .connection([protocolError]), post(1, "/"),
            frame(.continuation, 4, on: 1, block([("x", "y")]))),
        Case(
            "http2/6.10/5", "CONTINUATION behind the last one", .connection([protocolError]),
            frame(.headers, 0, on: 1, block(request("POST", "/"))),
            frame(.continuation, 4, on: 1, block([("x", "y")])), frame(.continuation, 4, on: 1, block([("y", "z")]))),
        Case(
            "http2/6.10/6", "CONTINUATION behind DATA", .connection([protocolError]), post(1, "/"), data("x"),
            frame(.continuation, 4, on: 1, block([("x", "y")]))),
        Case(
            "http2/7/1", "GOAWAY with a code that nobody knows", .farewell,
            frame(.goAway, on: 0, [0, 0, 0, 0, 0, 0, 0, 0xFF])),
        Case(
            "http2/7/2", "RST_STREAM with a code that nobody knows", .nothing, wait(1),
            frame(.resetStream, on: 1, [0, 0, 0, 0xFF])),
        Case(
            "http2/8.2/1", "PUSH_PROMISE of a client", .connection([protocolError]),
            frame(.pushPromise, 4, on: 1, [0, 0, 0, 2] + block(refused))),
        Case(
            "besides", "a frame of sixteen megabytes", .connection([frameSize]), [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1]),
    ]

    private static let streams = [
        Case("http2/5.1/1", "DATA on an idle stream", .connection([protocolError]), data("x")),
        Case("http2/5.1/2", "RST_STREAM on an idle stream", .connection([protocolError]), reset(1)),
        Case("http2/5.1/3", "WINDOW_UPDATE on an idle stream", .connection([protocolError]), window(1, on: 1)),
        Case(
            "http2/5.1/4", "CONTINUATION on an idle stream", .connection([protocolError]),
            frame(.continuation, 4, on: 1, block(refused))),
        Case(
            "http2/5.1/5", "DATA behind the end of a request", .stream([streamClosed]), wait(1), data("x", ends: true)),
        // h2spec expects STREAM_CLOSED; the library reads the frame as trailers without END_STREAM, which are not
        // allowed.
        Case(
            "http2/5.1/6", "HEADERS behind the end of a request", .stream([streamClosed, protocolError]), wait(1),
            get(1)),
        Case(
            "http2/5.1/7", "CONTINUATION behind the end of a request", .connection([streamClosed, protocolError]),
            wait(1),
            frame(.continuation, 4, on: 1, block(refused))),
        Case(
            "http2/5.1/8", "DATA on a stream that the client has reset", .stream([streamClosed]), wait(1), reset(1),
            data("x", ends: true)),
        Case(
            "http2/5.1/9", "HEADERS on a stream that the client has reset", .stream([streamClosed, protocolError]),
            wait(1), reset(1),
            get(1)),
        Case(
            "http2/5.1/10", "CONTINUATION on a stream that the client has reset",
            .connection([streamClosed, protocolError]), wait(1),
            reset(1), frame(.continuation, 4, on: 1, block(refused))),
        Case("http2/5.1.1/1", "a stream of an even number", .connection([protocolError]), get(2)),
        Case("http2/5.1.1/2", "a stream of a number below the last", .connection([protocolError]), wait(5), get(3)),
        Case(
            "http2/5.1.2/1", "more streams than may be open", .stream([protocolError, refusedStream]),
            (0..<101).flatMap { wait(UInt32(2 * $0 + 1)) }),
        Case(
            "http2/5.3.1/1", "HEADERS that depend on themselves", .stream([protocolError]),
            frame(.headers, 0x25, on: 1, [0, 0, 0, 1, 16] + block(refused))),
        // RFC 9113 dropped this rule: the priority in the frame has no meaning (§5.3.2).
        Case("http2/5.3.1/2", "PRIORITY that depends on itself", .nothing, wait(1), priority(on: 1, [0, 0, 0, 1])),
        Case(
            "http2/5.4.1/1", "what ends a connection, and a PING behind it", .connection([frameSize, protocolError]),
            frame(.ping, on: 0, [0])),
    ]

    private static let messages = [
        Case(
            "http2/8.1/1", "a second head that does not end the request", .stream([protocolError]), post(1, "/"),
            frame(.headers, 4, on: 1, block(refused))),
        Case("http2/8.1.2/1", "a name with a capital", .stream([protocolError]), get(1, and: [("X-Test", "y")])),
        Case(
            "http2/8.1.2.1/1", "a pseudo-header that nobody knows", .stream([protocolError]),
            get(1, and: [(":test", "y")])),
        Case(
            "http2/8.1.2.1/2", "a pseudo-header of responses", .stream([protocolError]),
            get(1, and: [(":status", "200")])),
        Case(
            "http2/8.1.2.1/3", "a pseudo-header in trailers", .stream([protocolError]), post(1, "/"),
            frame(.headers, 5, on: 1, block([(":method", "GET")]))),
        Case(
            "http2/8.1.2.1/4", "a pseudo-header behind a field", .stream([protocolError]),
            frame(.headers, 5, on: 1, block([("x", "y")] + refused))),
        Case(
            "http2/8.1.2.2/1", "a field of the connection", .stream([protocolError]),
            get(1, and: [("connection", "keep-alive")])),
        Case(
            "http2/8.1.2.2/2", "TE for something else than trailers", .stream([protocolError]),
            get(1, and: [("trailers", "x"), ("te", "trailers, deflate;q=0.5")])),
        Case(
            "http2/8.1.2.3/1", "a path of nothing", .stream([protocolError]),
            frame(.headers, 5, on: 1, block(request("GET", "")))),
        Case(
            "http2/8.1.2.3/2", "no method", .stream([protocolError]),
            frame(.headers, 5, on: 1, block(without(":method")))),
        Case(
            "http2/8.1.2.3/3", "no scheme", .stream([protocolError]),
            frame(.headers, 5, on: 1, block(without(":scheme")))),
        Case(
            "http2/8.1.2.3/4", "no path", .stream([protocolError]), frame(.headers, 5, on: 1, block(without(":path")))),
        Case(
            "http2/8.1.2.3/5", "two methods", .stream([protocolError]),
            frame(.headers, 5, on: 1, block([(":method", "GET")] + refused))),
        Case(
            "http2/8.1.2.3/6", "two schemes", .stream([protocolError]),
            frame(.headers, 5, on: 1, block([(":scheme", "http")] + refused))),
        Case(
            "http2/8.1.2.3/7", "two paths", .stream([protocolError]),
            frame(.headers, 5, on: 1, block([(":path", "/")] + refused))),
        Case(
            "http2/8.1.2.6/1", "less than the length", .stream([protocolError]),
            post(1, "/", and: [("content-length", "9")]),
            data("four", ends: true)),
        Case(
            "http2/8.1.2.6/2", "less than the length, in two", .stream([protocolError]),
            post(1, "/", and: [("content-length", "9")]),
            data("four"), data("four", ends: true)),
    ]

    private static let compressed = [
        Case("hpack/2.3.3/1", "an index beyond the table", .connection([compression]), indexed([0xC6])),
        Case(
            "hpack/2.3.3/2", "a name's index beyond the table", .connection([compression]),
            indexed([0x7F, 0x07] + text("x"))),
        Case("hpack/4.2/1", "a table's size behind a field", .connection([compression]), indexed([0x20])),
        Case(
            "hpack/5.2/1", "Huffman's code with padding of a byte and more", .connection([compression]),
            indexed([0x00] + text("x") + [0x82, 0x1F, 0xFF])),
        Case(
            "hpack/5.2/2", "Huffman's code with padding of zeros", .connection([compression]),
            indexed([0x00] + text("x") + [0x81, 0x18])),
        Case(
            "hpack/5.2/3", "Huffman's code with its own end", .connection([compression]),
            indexed([0x00] + text("x") + [0x85, 0x1F, 0xFF, 0xFF, 0xFF, 0xFF])),
        Case("hpack/6.1/1", "index 0", .connection([compression]), indexed([0x80])),
        Case(
            "hpack/6.3/1", "a table larger than allowed", .connection([compression]),
            frame(.headers, 5, on: 1, [0x3F, 0xE1, 0xFF, 0x03] + block(refused))),
    ]

    @Test(arguments: [generic, frames, streams, messages, compressed].flatMap(\.self))
    func `T436, T442 HTTP 2 violations are answered as h2spec expects`(example: Case) async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            _ = try await client.next(.settings)
            client.send(.settings, flags: 1, stream: 0)
            for frame in example.frames { client.peer.send(frame) }
            client.send(.ping, stream: 0, Self.lastWords)
            let reaction = try await Self.reaction(client, until: example.outcome)
            switch example.outcome {
            case .answer(let stream):
                #expect(reaction.answered.contains(stream) && reaction.goAway == nil, "\(reaction)")
            case .nothing:
                #expect(reaction.isAlive && reaction.goAway == nil && reaction.resets.isEmpty, "\(reaction)")
            case .farewell:
                #expect(reaction.goAway == nil && reaction.resets.isEmpty, "\(reaction)")
            case .stream(let codes):
                let code = reaction.resets.first ?? reaction.goAway
                #expect(code.map(codes.contains) ?? false, "\(reaction)")
            case .connection(let codes):
                #expect(reaction.goAway.map(codes.contains) ?? false, "\(reaction)")
                #expect(try await client.peer.ends())
            }
            // Other streams are not affected.
            let other = try await HTTP2Peer.connect(gateway)
            other.peer.send(Self.get(1))
            #expect(try await other.answer().status == "401")
        }
    }

    // MARK: What needs a conversation

    @Test(arguments: [
        Case("http2/5.1/11", "DATA behind request and answer", .stream([streamClosed]), data("x", ends: true)),
        Case("http2/5.1/12", "HEADERS behind request and answer", .stream([streamClosed, protocolError]), get(1)),
        Case(
            "http2/5.1/13", "CONTINUATION behind request and answer", .connection([streamClosed, protocolError]),
            frame(.continuation, 4, on: 1, block(refused))),
    ])
    func `T436 frames on a stream closed by both sides are errors`(example: Case) async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.peer.send(Self.get(1))
            #expect(try await client.answer().status == "401")
            for frame in example.frames { client.peer.send(frame) }
            let reaction = try await Self.reaction(client, until: example.outcome)
            let expected: Set<UInt32> = [Self.streamClosed, Self.protocolError]
            #expect((reaction.resets.first ?? reaction.goAway).map(expected.contains) ?? false, "\(reaction)")
        }
    }

    @Test(arguments: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r", "INVALID CONNECTION PREFACE\r\n\r\n"])
    func `http2 3.5, an invalid preface closes the connection`(preface: String) async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            client.send(preface + "\r\r\r\r\r\r\r\r\r\r")
            #expect(try await client.ends())
        }
    }

    @Test func `http2 6.5.3, settings are acknowledged, and the last value of a setting counts`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway, settings: [0, 4, 0, 0, 0, 100, 0, 4, 0, 0, 0, 1])
            while try await client.next(.settings).flags & 1 == 0 {}
            client.peer.send(Self.get(1))
            #expect(try await client.next(.data).payload.count == 1)
        }
    }

    @Test func `http2 6.9, a window of one byte passes one byte, and settings grow and shrink it`()
        async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway, settings: [0, 4, 0, 0, 0, 0])
            client.peer.send(Self.get(1))
            _ = try await client.next(.headers)
            client.send(.settings, stream: 0, [0, 4, 0, 0, 0, 3])
            #expect(try await client.next(.data).payload.count == 3)
            // Makes the window −2: no data is sent until updates exceed that.
            client.send(.settings, stream: 0, [0, 4, 0, 0, 0, 1])
            client.peer.send(Self.window(3, on: 1))
            #expect(try await client.next(.data).payload.count == 1)
        }
    }

    // MARK: What comes back

    private struct Reaction {
        var answered: Set<UInt32> = []
        var resets: [UInt32] = []
        var goAway: UInt32?
        var isAlive = false

        func isEnough(for outcome: Outcome) -> Bool {
            if goAway != nil { return true }
            return switch outcome {
            case .answer(let stream): answered.contains(stream)
            case .nothing, .farewell: isAlive
            case .stream: !resets.isEmpty
            case .connection: false
            }
        }
    }

    private static let lastWords = Array("lastword".utf8)

    /// Reads frames until the outcome is known: the acknowledgement of the last PING, and an expected answer or reset.
    private static func reaction(_ client: HTTP2Peer, until outcome: Outcome) async throws -> Reaction {
        var reaction = Reaction()
        if outcome == .farewell {
            try await eventually { client.peer.hasEnded || client.peer.bytes.firstRange(of: lastWords) != nil }
            guard !client.peer.hasEnded else { return reaction }
        }
        while !reaction.isEnough(for: outcome), let frame = try? await client.next(within: .seconds(3)) {
            switch HTTP2Peer.FrameType(rawValue: frame.type) {
            case .headers: reaction.answered.insert(frame.stream)
            case .resetStream: reaction.resets.append(frame.payload.reduce(0) { $0 << 8 | UInt32($1) })
            case .goAway: reaction.goAway = frame.payload.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            case .ping where frame.payload == lastWords: reaction.isAlive = true
            default: break
            }
        }
        return reaction
    }
}

// MARK: Frames

extension HTTP2ConformanceTests {
    private static let protocolError: UInt32 = 1
    private static let flowControl: UInt32 = 3
    private static let streamClosed: UInt32 = 5
    private static let frameSize: UInt32 = 6
    private static let refusedStream: UInt32 = 7
    private static let compression: UInt32 = 9

    private static func settings() -> GatewaySettings {
        var settings = GatewaySettings()
        settings.service = .plain(.http2)
        return settings
    }

    private static func request(_ method: String, _ path: String) -> [(String, String)] {
        [(":method", method), (":scheme", "http"), (":path", path), (":authority", "a")]
    }

    /// A request that the gateway answers itself.
    private static let refused = request("GET", "/private")

    private static func without(_ name: String) -> [(String, String)] { refused.filter { $0.0 != name } }

    private static func block(_ fields: [(String, String)]) -> [UInt8] { HTTP2Peer.block(fields) }

    /// A string literal of HPACK without Huffman coding.
    private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    private static func frame(
        _ type: HTTP2Peer.FrameType, _ flags: UInt8 = 0, on stream: UInt32, _ payload: [UInt8] = []
    ) -> [UInt8] {
        HTTP2Peer.frame(type, flags: flags, stream: stream, payload)
    }

    private static func get(_ stream: UInt32, and more: [(String, String)] = []) -> [UInt8] {
        frame(.headers, 5, on: stream, block(refused + more))
    }

    /// A request that its upstream never answers.
    private static func wait(_ stream: UInt32) -> [UInt8] { frame(.headers, 5, on: stream, block(request("GET", "/"))) }

    /// A request whose body is not sent yet.
    private static func post(_ stream: UInt32, _ path: String = "/private", and more: [(String, String)] = [])
        -> [UInt8]
    {
        frame(.headers, 4, on: stream, block(request("POST", path) + more))
    }

    private static func data(_ text: String, ends: Bool = false) -> [UInt8] {
        frame(.data, ends ? 1 : 0, on: 1, Array(text.utf8))
    }

    private static func reset(_ stream: UInt32) -> [UInt8] { frame(.resetStream, on: stream, [0, 0, 0, 8]) }

    private static func priority(on stream: UInt32, _ dependency: [UInt8] = [0, 0, 0, 0], weight: UInt8 = 16) -> [UInt8]
    {
        frame(.priority, on: stream, dependency + [weight])
    }

    private static func window(_ increment: UInt32, on stream: UInt32) -> [UInt8] {
        frame(.windowUpdate, on: stream, (0..<4).map { UInt8(truncatingIfNeeded: increment >> UInt32(24 - 8 * $0)) })
    }

    /// A request made of static table indices, followed by these bytes.
    private static func indexed(_ more: [UInt8], on stream: UInt32 = 1) -> [UInt8] {
        frame(.headers, 5, on: stream, [0x82, 0x86, 0x04] + text("/private") + [0x01] + text("a") + more)
    }
}
