import Foundation
import KeySetFetching
import NIOHTTP1
import TestSupport
import Testing
import TokenIntrospection

@Suite struct IntrospectionSecretTests {
    private func credentials(_ secret: String) -> [String] {
        ["Basic \(Data("gateway:\(secret)".utf8).base64EncodedString())"]
    }

    @Test func `a changed client secret is used from the next look at its file on, without a restart`() async throws {
        let stand = try IntrospectionStand(secret: "old")
        try await IntrospectionServer.running { server in
            try await stand.running(server) { introspector in
                #expect(await stand.ask(introspector, "a") == .response(active: true))
                #expect(server.requests.last?.headers["Authorization"] == credentials("old"))
                try stand.write("new")
                var index = 0
                let isUsed = await eventually {
                    index += 1
                    _ = await stand.ask(introspector, "t\(index)")
                    return server.requests.last?.headers["Authorization"] == credentials("new")
                }
                #expect(isUsed)
            }
        }
    }

    @Test func `without a secret no token is introspected, a message is logged, and the file is used once it appears`()
        async throws
    {
        let stand = try IntrospectionStand()
        try stand.removeSecret()
        try await IntrospectionServer.running { server in
            try await stand.running(server) { introspector in
                let failure = IntrospectionFailure.secretFileUnusable(
                    path: stand.directory.path("secret"), reason: "there is no such file")
                #expect(await introspector.status.lastFailure == failure)
                #expect(stand.log.all.contains { $0.hasPrefix("warning") && $0.contains("there is no such file") })
                for index in 0..<8 { #expect(await stand.ask(introspector, "t\(index)") == .unavailable(.seconds(1))) }
                #expect(server.requests.isEmpty)
                try stand.write("s3cret")
                #expect(await eventually { await stand.ask(introspector, "a") == .response(active: true) })
            }
        }
    }

    @Test(arguments: [
        ("", "it is empty"), ("\n", "it is empty"), ("\r\n", "it is empty"),
        ("two\nlines\n", "it holds a control character, such as a second line"),
        ("s3cret\n\n", "it holds a control character, such as a second line"),
        (String(repeating: "x", count: 4097), "it is too large"),
    ])
    func `a file without a usable secret is refused with the reason`(file: (content: String, reason: String))
        async throws
    {
        let stand = try IntrospectionStand(secret: file.content)
        try await IntrospectionServer.running { server in
            try await stand.running(server) { introspector in
                #expect(await stand.ask(introspector, "a") == .unavailable(.seconds(1)))
                let failure = IntrospectionFailure.secretFileUnusable(
                    path: stand.directory.path("secret"), reason: file.reason)
                #expect(await introspector.status.lastFailure == failure)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a secret of the maximum length is accepted`() async throws {
        let stand = try IntrospectionStand(secret: String(repeating: "x", count: 4096))
        try await IntrospectionServer.running { server in
            try await stand.running(server) { introspector in
                #expect(await stand.ask(introspector, "a") == .response(active: true))
            }
        }
    }

    @Test func `a directory is refused as secret file`() async throws {
        let stand = try IntrospectionStand()
        try stand.makeSecretADirectory()
        try await IntrospectionServer.running { server in
            try await stand.running(server) { introspector in
                let failure = IntrospectionFailure.secretFileUnusable(
                    path: stand.directory.path("secret"), reason: "it is not a regular file")
                #expect(await introspector.status.lastFailure == failure)
            }
        }
    }

    @Test(arguments: [(0o600, false), (0o640, false), (0o604, true), (0o644, true)])
    func `a secret file that every user can read is used, with a warning`(file: (mode: Int, isWarned: Bool))
        async throws
    {
        let stand = try IntrospectionStand()
        try stand.write("s3cret", mode: file.mode)
        try await IntrospectionServer.running { server in
            try await stand.running(server) { introspector in
                #expect(await stand.ask(introspector, "a") == .response(active: true))
            }
        }
        let warnings = stand.log.all.count { $0.hasPrefix("warning Client secret file can be read by every user") }
        #expect(warnings == (file.isWarned ? 1 : 0))
    }
}
