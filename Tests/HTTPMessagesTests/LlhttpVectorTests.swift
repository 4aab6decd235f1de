import HTTPMessages
import Testing

/// The request tests of llhttp 9.4.2, the parser that Node.js uses.
struct LlhttpVectorTests {
    struct Vector: Decodable {
        var id: String
        var name: String
        var inputHex: String
        var parserRejects: Bool

        var bytes: [UInt8] { Array(hex: inputHex) }
    }

    private static func vectors() throws -> [Vector] { try Vectors.decode([Vector].self, from: "llhttp/requests.json") }

    @Test func `T252 every input that llhttp refuses is refused`() throws {
        let refused = try Self.vectors().filter(\.parserRejects)
        #expect(refused.count == 28)
        for vector in refused where !Self.unfinishedHere.contains(vector.id) {
            #expect(RequestStream(vector.bytes).isRefused, "\(vector.id) \(vector.name)")
        }
    }

    /// llhttp stops here because a caller must switch protocols; the rest is no complete request yet.
    private static let unfinishedHere: Set<String> = ["request/connection:755", "request/connection:814"]

    @Test func `T252 every input that llhttp accepts is accepted, or refused for a documented reason`() throws {
        var unexplained: [String: RequestStream.End] = [:]
        for vector in try Self.vectors() where !vector.parserRejects {
            let stream = RequestStream(vector.bytes)
            guard stream.isRefused else { continue }
            if Self.reasons[vector.id] != stream.end { unexplained[vector.id] = stream.end }
        }
        for (id, end) in unexplained.sorted(by: { $0.key < $1.key }) { Issue.record("\(id): \(end)") }
    }

    private static let reasons: [String: RequestStream.End] = [
        // No Host field in HTTP/1.1.
        "request/sample:510": .head(.missingHost),
        "request/sample:540": .head(.missingHost),
        "request/connection:8": .head(.missingHost),
        "request/connection:36": .head(.missingHost),
        "request/connection:238": .head(.missingHost),
        "request/connection:266": .head(.missingHost),
        "request/connection:455": .head(.missingHost),
        "request/content-length:292": .head(.missingHost),
        "request/content-length:319": .head(.missingHost),
        "request/method:6": .head(.missingHost),
        "request/pipelining:6": .head(.missingHost),
        "request/sample:8": .head(.missingHost),
        "request/sample:46": .head(.missingHost),
        "request/sample:170": .head(.missingHost),
        "request/sample:198": .head(.missingHost),
        "request/sample:221": .head(.missingHost),
        "request/sample:293": .head(.missingHost),
        "request/sample:480": .head(.missingHost),
        "request/uri:31": .head(.missingHost),
        "request/uri:54": .head(.missingHost),
        "request/uri:77": .head(.missingHost),
        "request/uri:127": .head(.missingHost),
        // "0.0.0.0=5000" is no host.
        "request/sample:69": .head(.invalidHost),
        "request/sample:107": .head(.invalidHost),
        // User information in the target.
        "request/uri:224": .head(.invalidTargetAuthority),
        // More than one blank line before a request line.
        "request/connection:158": .head(.repeatedBlankLine),
        // A leading zero in the length.
        "request/content-length:6": .head(.field(.malformedContentLength)),
        "request/content-length:43": .head(.field(.malformedContentLength)),
        // Not HTTP, or no version.
        "request/method:374": .head(.malformedVersion),
        "request/method:404": .head(.malformedVersion),
        "request/method:432": .head(.malformedVersion),
        "request/sample:316": .head(.malformedRequestLine),
        // Targets and values with bytes outside the grammar.
        "request/method:137": .head(.asteriskWithoutOptions),
        "request/uri:6": .head(.missingHost),
        "request/uri:104": .head(.missingHost),
        "request/uri:167": .head(.fragmentInTarget),
    ]

    @Test func `T247 every llhttp vector gets the same verdict byte by byte`() throws {
        for vector in try Self.vectors() {
            let bytes = vector.bytes
            #expect(RequestVerdict.byteByByte(bytes) == RequestVerdict(bytes), "\(vector.id) \(vector.name)")
        }
    }
}
