import HTTPMessages
import Testing

@testable import ReverseProxy

@Suite(.serialized, .timeLimit(.minutes(2)))
struct ResponseFaultTests {
    /// Rejections of response fields with a distinct text. A token in a field is not special in a response, and bytes
    /// above 0x7F are allowed.
    private static let fieldRejections = FieldRejection.allCases.filter {
        $0 != .authorizationTooLong && $0 != .nonASCIIByte
    }

    private static let ownRejections: [ResponseHeadRejection] = [
        .malformedStatusLine, .versionNotSupported, .invalidStatus, .contentLengthWithoutContent,
        .transferEncodingWithoutContent,
    ]

    /// Exhaustive switch: the compiler asks for each new reason to be added to the list above.
    private static func isListed(_ rejection: ResponseHeadRejection) -> Bool {
        switch rejection {
        case .field(let rejection): FieldRejection.allCases.contains(rejection)
        case .malformedStatusLine, .versionNotSupported, .invalidStatus, .contentLengthWithoutContent,
            .transferEncodingWithoutContent:
            ownRejections.contains(rejection)
        }
    }

    private static let faults: [ResponseFault] =
        fieldRejections.map { .head(.field($0)) } + ownRejections.map(ResponseFault.head)
        + ChunkRejection.allCases.map(ResponseFault.body)
        + [
            ResponseMalformation.pseudoHeader, .status, .invalidField, .connectionField, .contentLength,
            .fieldSectionTooLarge,
        ]
        .map(ResponseFault.section)
        + [TrailerMalformation.pseudoHeader, .invalidField, .connectionField, .tooManyFields, .sectionTooLarge].map(
            ResponseFault.trailers)
        + [.frames, .interimResponses, .protocolSwitch, .unofferedProtocol, .noProtocolSwitch]

    @Test func `each response fault has a distinct text`() {
        #expect(Set(Self.faults.map(\.text)).count == Self.faults.count)
        #expect(
            Self.answers.allSatisfy {
                if case .head(let rejection) = $0.fault { Self.isListed(rejection) } else { true }
            })
    }

    /// Bytes sent by an upstream, and the fault that the log reports.
    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: String
        let fault: ResponseFault

        init(_ description: String, _ fault: ResponseFault, _ bytes: String) {
            testDescription = description
            self.bytes = bytes
            self.fault = fault
        }

        /// A head with a valid first line, followed by these lines.
        init(_ description: String, _ fault: ResponseFault, fields: String...) {
            self.init(description, fault, (["HTTP/1.1 200 OK"] + fields).joined(separator: "\r\n") + "\r\n\r\nhello")
        }
    }

    static let answers = [
        Answer("LF alone", .head(.field(.bareLineFeed)), "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"),
        Answer("no status line", .head(.malformedStatusLine), "HTTP/1.1 OK\r\n\r\n"),
        Answer("another version", .head(.versionNotSupported), "HTTP/2.0 200 OK\r\n\r\n"),
        Answer("status 600", .head(.invalidStatus), "HTTP/1.1 600 Odd\r\nContent-Length: 5\r\n\r\nhello"),
        Answer("a folded line", .head(.field(.foldedField)), fields: "Content-Length: 5", "X-A: b", " c"),
        Answer("no colon", .head(.field(.missingColon)), fields: "Content-Length: 5", "X-A"),
        Answer(
            "a space before the colon", .head(.field(.whitespaceBeforeColon)), fields: "Content-Length: 5", "X-A : b"),
        Answer("a name with spaces", .head(.field(.invalidFieldName)), fields: "Content-Length: 5", "Secured by: b"),
        Answer("a NUL", .head(.field(.controlByte)), fields: "Content-Length: 5", "X-A: b\0"),
        Answer("a look-alike", .head(.field(.framingLookAlike)), fields: "Content_Length: 5"),
        Answer("two lengths", .head(.field(.repeatedContentLength)), fields: "Content-Length: 5", "Content-Length: 6"),
        Answer("a list of lengths", .head(.field(.malformedContentLength)), fields: "Content-Length: 5, 5"),
        Answer("a length with a sign", .head(.field(.malformedContentLength)), fields: "Content-Length: +5"),
        Answer(
            "both framings", .head(.field(.transferEncodingWithContentLength)), fields: "Content-Length: 5",
            "Transfer-Encoding: chunked"),
        Answer(
            "two codings", .head(.field(.repeatedTransferEncoding)), fields: "Transfer-Encoding: chunked",
            "Transfer-Encoding: chunked"),
        Answer(
            "chunked twice", .head(.field(.malformedTransferEncoding)), fields: "Transfer-Encoding: chunked, chunked"),
        Answer(
            "another coding", .head(.field(.transferCodingNotSupported)), fields: "Transfer-Encoding: gzip, chunked"),
        Answer(
            "204 with a length", .head(.contentLengthWithoutContent),
            "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"),
        Answer(
            "204 with chunks", .head(.transferEncodingWithoutContent),
            "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n"),
        Answer(
            "a long field", .head(.field(.fieldTooLarge)), fields: "X-A: " + String(repeating: "a", count: 33 * 1024)),
        Answer(
            "many fields", .head(.field(.tooManyFields)),
            "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 201) + "\r\n"),
        Answer("1xx without end", .interimResponses, String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 11)),
        Answer("101 unasked", .protocolSwitch, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"),
    ]

    @Test(arguments: answers) func `the log says which rule a response breaks`(answer: Answer) async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            try await server.sendAll(Array(answer.bytes.utf8))
            _ = try await client.receive(through: "}")
            let line = try #require(try await gateway.logLines(1).first)
            #expect(line.contains("\"reason\":\"upstream_invalid\""))
            #expect(upstreamError(in: line) == "the response is not relayed: \(answer.fault.text)")
            try await expectOutcomes([.invalidResponse: 1], gateway)
        }
    }

    @Test func `the log says which rule the chunks of a response break`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            _ = try await client.receive(through: "hello")
            server.send("5\r\nhello, there")
            #expect(try await client.ends())
            let line = try #require(try await gateway.logLines(1).first)
            #expect(
                upstreamError(in: line) == "the response is not relayed: \(ResponseFault.body(.dataNotTerminated).text)"
            )
        }
    }
}
