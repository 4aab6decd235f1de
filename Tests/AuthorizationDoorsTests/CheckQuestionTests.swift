import Foundation
import HTTPMessages
import RequestAuthorization
import SwiftProtobuf
import TestSupport
import Testing

@testable import AuthorizationDoors

/// Requests that Envoy's messages describe.
struct CheckQuestionTests {
    private static func question(_ change: (inout EnvoyCheckRequest) -> Void = { _ in }) -> EnvoyCheckRequest {
        var check = EnvoyCheckRequest()
        check.attributes.source.address.socketAddress.address = "192.0.2.7"
        check.attributes.request.http.method = "POST"
        check.attributes.request.http.path = "/orders/7?x=%20"
        check.attributes.request.http.host = "api.example:8443"
        check.attributes.request.http.scheme = "https"
        change(&check)
        return check
    }

    private static func field(_ key: String, _ value: String = "", raw: [UInt8] = []) -> EnvoyHeader {
        var header = EnvoyHeader()
        (header.key, header.value, header.rawValue) = (key, value, Data(raw))
        return header
    }

    /// A gRPC message with its prefix.
    private static func content(_ check: EnvoyCheckRequest) throws -> [UInt8] {
        CheckMessage.prefixed(try check.serializedBytes())
    }

    private static func message(_ content: [UInt8], limits: HeadLimits = HeadLimits()) -> CheckMessage? {
        var message = CheckMessage(limits: limits)
        return message.append(content) ? message : nil
    }

    /// Text of the judged request, or the reason of the answer.
    private static func judged(_ content: [UInt8], limits: HeadLimits = HeadLimits()) -> String {
        guard let message = message(content, limits: limits) else { return "too large" }
        guard let question = CheckQuestion(message) else { return "no question" }
        var head = RequestHeadParser().head
        var reader = DoorRequestReader(limits: limits)
        do throws(Rejection) {
            try reader.read(question, into: &head)
            return String(decoding: head.bytes, as: UTF8.self)
        } catch {
            #expect(head.bytes.isEmpty)
            return error.reason.label
        }
    }

    private static func judged(_ change: (inout EnvoyCheckRequest) -> Void) throws -> String {
        judged(try content(question(change)))
    }

    private static let line = "POST /orders/7?x=%20 HTTP/1.1\r\nHost: api.example:8443\r\n"

    // MARK: What is read

    @Test func `the checked request is built from the attributes`() throws {
        #expect(try Self.judged { _ in } == Self.line + "\r\n")
        let message = try #require(Self.message(try Self.content(Self.question())))
        #expect(CheckQuestion(message)?.client == "192.0.2.7")
    }

    @Test func `the client's own headers are read, without the headers of the proxy's connection`() throws {
        let text = try Self.judged {
            $0.attributes.request.http.headers = [
                ":method": "GET", ":path": "/status", ":authority": "other.example", ":scheme": "http",
                "host": "other.example",
                "content-length": "7", "transfer-encoding": "chunked", "connection": "x", "te": "trailers",
                "upgrade": "websocket",
                "authorization": "Bearer a.b.c",
            ]
        }
        // An upgrade is judged, and listed for removal unless it is to WebSocket.
        let fields = ["upgrade: websocket\r\n", "authorization: Bearer a.b.c\r\n"]
        // The headers of a message have no order.
        #expect([fields, fields.reversed()].contains { text == Self.line + $0.joined() + "\r\n" })
    }

    @Test func `headers sent one by one stay separate, byte for byte`() throws {
        let text = try Self.judged {
            $0.attributes.request.http.headerMap.headers = [
                Self.field(":method", raw: Array("GET".utf8)), Self.field("authorization", raw: Array("Bearer a".utf8)),
                Self.field("authorization", "Bearer b"),
            ]
        }
        #expect(text == Self.line + "authorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n")
        // As on the data path: the gateway does not read the first header, and reads the second.
        for (name, isRefused) in [("x", false), ("x-request-id", true)] {
            let judged = try Self.judged {
                $0.attributes.request.http.headerMap.headers = [Self.field(name, raw: [0xE9])]
            }
            #expect((judged == "bad_request") == isRefused)
        }
    }

    @Test func `headers that describe the request at another door are ignored (T491)`() throws {
        let text = try Self.judged {
            $0.attributes.request.http.headers = ["x-forwarded-uri": "/status", "x-original-method": "GET"]
        }
        #expect(text.hasPrefix(Self.line))
    }

    // MARK: What is refused

    @Test(arguments: ["method", "path", "host", "scheme"])
    func `a missing attribute makes the check invalid (T492)`(missing: String) throws {
        let text = try Self.judged {
            switch missing {
            case "method": $0.attributes.request.http.method = ""
            case "path": $0.attributes.request.http.path = ""
            case "host": $0.attributes.request.http.host = ""
            default: $0.attributes.request.http.scheme = ""
            }
        }
        #expect(text == "door_request_invalid")
    }

    @Test func `a value that cannot be part of a request head never gets into one`() throws {
        typealias HTTP = EnvoyAttributes.HTTPRequest
        let changes: [(inout HTTP) -> Void] = [
            { $0.method = "GET /status HTTP/1.1\r\nx:" }, { $0.path = "/a HTTP/1.1\r\nx: " }, { $0.path = "/a\r\n" },
            { $0.host = "a\r\nx: y" }, { $0.scheme = "ftp" }, { $0.headers = ["x\r\ny": "z"] },
            { $0.headers = ["x": "y\r\nz: 1"] },
            { $0.headers = ["": "y"] }, { $0.headers = ["x y": "z"] },
            { $0.headerMap.headers = [Self.field("x", raw: [0])] },
            { $0.headerMap.headers = [Self.field("x", raw: Array("a\nb".utf8))] },
        ]
        for change in changes {
            #expect(try Self.judged { change(&$0.attributes.request.http) } == "door_request_invalid")
        }
    }

    @Test func `headers in both forms, or a query beside the path, make the check invalid`() throws {
        #expect(
            try Self.judged {
                $0.attributes.request.http.headers = ["authorization": "Bearer a"]
                $0.attributes.request.http.headerMap.headers = [Self.field("authorization", "Bearer b")]
            } == "no question")
        #expect(try Self.judged { $0.attributes.request.http.query = "x=1" } == "no question")
    }

    @Test func `requests that the data path's parser refuses are refused, and limits apply to the checked request`()
        throws
    {
        #expect(try Self.judged { $0.attributes.request.http.host = "a b" } == "bad_request")
        let long = String(repeating: "a", count: 9 * 1024)
        #expect(try Self.judged { $0.attributes.request.http.path = "/" + long } == "target_too_long")
        #expect(try Self.judged { $0.attributes.request.http.headers = ["x": long] } == "head_too_large")
        let huge = String(repeating: "a", count: 160 * 1024)
        #expect(try Self.judged { $0.attributes.request.http.headers = ["x": huge] } == "too large")
    }

    // MARK: The message

    @Test func `a gRPC body is exactly one complete, uncompressed message`() throws {
        let content = try Self.content(Self.question())
        for length in 0..<content.count { #expect(Self.judged(Array(content.prefix(length))) == "no question") }
        #expect(Self.judged(content + [0]) == "no question")
        #expect(Self.judged(content + content) == "no question")
        #expect(Self.judged([1] + content.dropFirst()) == "no question")
        #expect(Self.judged([0, 0xFF, 0xFF, 0xFF, 0xFF] + content.dropFirst(5)) == "no question")
        // A message without content describes no request.
        #expect(Self.judged([0, 0, 0, 0, 0]) == "door_request_invalid")
    }

    @Test func `a corrupted message is refused without further effect`() throws {
        var random = SeededGenerator(seed: 20)
        let content = try Self.content(
            Self.question {
                $0.attributes.request.http.headers = ["authorization": "Bearer a.b.c", "accept": "*/*"]
            })
        var refused = 0
        for _ in 0..<20_000 {
            var changed = content
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: 5..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let text = Self.judged(changed)
            // A judged text is one head, which ends once.
            if text.hasSuffix("\r\n\r\n") {
                #expect(text.components(separatedBy: "\r\n\r\n").count == 2)
            } else {
                refused += 1
            }
        }
        #expect(refused > 1000)
    }
}
