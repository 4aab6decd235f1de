import AsyncHTTPClient
import Foundation
import JOSESigning
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// Fetches of keys triggered by an operator over the admin listener of the real command.
struct KeyRefreshEndToEndTests {
    @Test func `an operator with the admin token can trigger a fetch of an issuer's keys`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let good = "0123456789abcdef0123456789abcdef"
        let token = try folder.write(good, to: "token")
        let keys = try folder.write(SigningKey.jwkSetJSON([TestKeys.ec]), to: "keys.json")
        let served = try await ServedFile.start(
            """
            listen: 127.0.0.1:0
            admin: {address: "127.0.0.1:0", token_file: "\(token.path)"}
            issuers:
              my issuer: {issuer: "https://id.example", token_type: at+jwt, jwks_file: "\(keys.path)"}
            resources:
              orders:
                at: [/]
                issuers: [my issuer]
                upstream: http://127.0.0.1:9
                rules: {GET /**: authenticated}

            """)
        func ask(_ name: String, _ method: HTTPMethod = .POST, token: String? = good) async throws -> (
            status: Int, allow: String?, body: String
        ) {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.adminPort)/issuers/\(name)/refresh")
            request.method = method
            if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
            let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
            let body = String(buffer: try await answer.body.collect(upTo: 65_536))
            return (Int(answer.status.code), answer.headers.first(name: "Allow"), body)
        }
        #expect(try await ask("my%20issuer", token: nil).status == 401)
        #expect(try await ask("my%20issuer", token: "wrong").status == 401)
        #expect(try await ask("other").status == 404)
        #expect(try await ask("other", token: nil).status == 401)
        for method in [HTTPMethod.GET, .PUT, .DELETE] {
            let answer = try await ask("my%20issuer", method)
            #expect(answer.status == 405 && answer.allow == "POST", "\(method)")
        }
        try folder.write(SigningKey.jwkSetJSON([TestKeys.ec, TestKeys.rsa]), to: "keys.json")
        let fetched = try await ask("my%20issuer")
        #expect(fetched.status == 200)
        #expect(fetched.body.contains(#""keys":2"#) && fetched.body.contains(#""refreshed":true"#))
        try FileManager.default.removeItem(at: keys)
        let failed = try await ask("my%20issuer")
        #expect(failed.status == 502)
        #expect(failed.body.contains(#""keys":2"#) && failed.body.contains("there is no such file"))
        await served.stop()
    }

    @Test func `without an admin token in the file nobody can trigger a key fetch`() async throws {
        let served = try await ServedFile.start(
            """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            resources: {open: {at: [/], upstream: "http://127.0.0.1:9", rules: {GET /**: {public: true}}}}

            """)
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.adminPort)/issuers/any/refresh")
        request.method = .POST
        #expect(try await HTTPClient.shared.execute(request, timeout: .seconds(10)).status.code == 403)
        await served.stop()
    }
}
