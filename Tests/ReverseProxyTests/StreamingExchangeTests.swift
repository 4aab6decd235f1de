import HTTPMessages
import RequestAuthorization
import Testing
import TokenVerification

@testable import ReverseProxy

@Suite struct StreamingExchangeTests {
    private func head(_ fields: String...) throws -> RequestHead {
        var parser = RequestHeadParser()
        let text = (["POST / HTTP/1.1", "Host: a"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        let bytes = Array(text.utf8)
        #expect(try parser.parse(bytes.span) == .complete)
        return parser.head
    }

    @Test(arguments: [
        ("application/grpc", true), ("application/grpc+proto", true), ("Application/GRPC; x=y", true),
        ("application/grpc-web", false),
        ("application/grpcx", false), ("application/json", false), ("x application/grpc", false),
    ])
    func `a gRPC call is recognized by its media type`(type: String, isCall: Bool) throws {
        #expect(try head("Content-Type: \(type)").isGRPC == isCall)
    }

    @Test func `two Content-Type fields are not gRPC`() throws {
        #expect(try !head("Content-Type: application/grpc", "Content-Type: application/grpc").isGRPC)
    }

    @Test(
        arguments: [
            ("1H", 3_600_000_000_000), ("2M", 120_000_000_000), ("3S", 3_000_000_000), ("4m", 4_000_000), ("5u", 5000),
            ("6n", 6),
            ("99999999S", 99_999_999_000_000_000), ("0n", 0),
            ("", nil), ("S", nil), ("1", nil), ("1s", nil), ("-1S", nil), ("+1S", nil), ("1.5S", nil),
            ("999999999S", nil), ("1 S", nil),
        ] as [(String, Int64?)])
    func `a grpc-timeout is up to eight digits and a unit`(text: String, nanoseconds: Int64?) throws {
        #expect(try head("grpc-timeout: \(text)").grpcTimeout == nanoseconds)
    }

    @Test func `a stream ends with its deadline or its token, whichever is first, and records which`() {
        let stream = StreamingExchange(.grpc, end: PermissionEnd(time: NumericDate(seconds: 100)), deadline: 50)
        #expect(stream.ending(at: 49, date: NumericDate(seconds: 99)) == nil)
        #expect(stream.ending(at: 50, date: NumericDate(seconds: 99)) == .upstream(.deadlineExceeded))
        #expect(stream.ending(at: 49, date: NumericDate(seconds: 100)) == .token(.expired))
        #expect(StreamingExchange(.events).ending(at: .max, date: NumericDate(seconds: 1e12)) == nil)
        #expect(
            String(decoding: stream.trailers(for: .token(.expired)), as: UTF8.self)
                == "grpc-status: 16\r\ngrpc-message: The access token expired\r\n")
        #expect(StreamingExchange(.events).trailers(for: .token(.expired)).isEmpty)
    }

    @Test func `each rejection reason has its gRPC status`() {
        for reason in RejectionReason.allCases {
            let expected: [Int: Int] = [
                204: 2, 400: 13, 401: 16, 403: 7, 404: 12, 405: 12, 413: 8, 429: 14, 431: 8, 502: 14, 503: 14, 504: 14,
            ]
            #expect(reason.grpcStatus == (reason == .upstream(.deadlineExceeded) ? 4 : expected[reason.status] ?? 13))
            #expect(reason.plainText.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") })
        }
    }

    @Test func `a gRPC refusal has the same challenge as HTTP, and no content`() {
        let challenge = BearerChallenge(realm: "api")
        var head = HeadWriter()
        Rejection(.token(.expired), challenge: challenge).writeGRPC(
            into: &head, AnswerTerms(date: Array("d".utf8), requestID: Array("r-1".utf8), fate: .keep))
        let text = String(decoding: head.bytes, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.contains("\r\ngrpc-status: 16\r\ngrpc-message: The access token expired\r\n"))
        #expect(text.contains("\r\nwww-authenticate: Bearer realm=\"api\", error=\"invalid_token\""))
        #expect(text.hasSuffix("\r\ncontent-length: 0\r\n\r\n"))
    }
}
