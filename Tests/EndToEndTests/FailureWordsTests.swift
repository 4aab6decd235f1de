import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// Failures outside the program are reported in plain words, without names of calls, types or source files of a
/// library.
@Suite(.serialized) struct FailureWordsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let file = """
        listen: 127.0.0.1:0
        issuers: {partner: {issuer: "https://id.partner.example", token_type: at+jwt, jwks_uri: "https://127.0.0.1:1/keys"}}
        resources:
          https://api.example:
            at: /
            issuers: [partner]
            upstream: http://127.0.0.1:1
            rules: {GET /: authenticated}
        """

    /// Runs a command that must fail, and checks all of its output.
    private static func failure(
        of arguments: [String], command: String = "bearward", input: String = "", _ words: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        // Texts that only an error of a library contains.
        let innerText =
            #/NSCocoaErrorDomain|NSPOSIXErrorDomain|errno: |\(error [0-9-]+\)|with error [0-9]|could not be completed|descriptor:/#
        let innerName =
            #/NIOSSL|BoringSSL|SSL routines|\.cc:|\.swift:|HTTPClientError|CocoaError|SocketAddressError|Fatal error/#
        let process = try BearwardProcess(arguments, command: command, input: input)
        let status = await process.exitStatus()
        let said = process.standardOutput + process.standardError
        #expect(status != nil && status != 0, "\(said)", sourceLocation: sourceLocation)
        #expect(said.contains(words), "\(said)", sourceLocation: sourceLocation)
        #expect(!said.contains(innerText) && !said.contains(innerName), "\(said)", sourceLocation: sourceLocation)
    }

    /// A server that speaks a protocol other than HTTP.
    private static func withOtherProtocol(_ body: (Int) async throws -> Void) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.writeAndFlush(ByteBuffer(string: "SSH-2.0-OpenSSH_9.2\r\n\r\n")).flatMap { channel.close() }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await body(channel.localAddress?.port ?? 0)
        try await channel.close()
    }

    @Test func `unreachable keys are reported with their cause`() async throws {
        func file(_ url: String) -> String { Self.file.replacing("https://127.0.0.1:1/keys", with: url) }
        let check = ["check", "--online", "-"]
        try await Self.failure(
            of: check, input: Self.file, "no connection to https://127.0.0.1:1/keys: Connection refused")
        try await Self.failure(
            of: check, input: file("https://nowhere.invalid/keys"), "the address of nowhere.invalid could not be found")
        let plain = try await LoopbackServer.upstream()
        try await Self.failure(
            of: check, input: file(plain.url.replacing("http:", with: "https:") + "/keys"),
            "the peer did not answer with TLS")
        await plain.stop()
        try await Self.withOtherProtocol { port in
            try await Self.failure(of: check, input: file("http://127.0.0.1:\(port)/keys"), "partner: ")
            try await Self.failure(of: check, input: file("https://127.0.0.1:\(port)/keys"), "partner: ")
        }
    }

    @Test func `health at a wrong address reports the connection error`() async throws {
        try await Self.failure(
            of: ["health", "-"], input: "admin: 127.0.0.1:1\n" + Self.file,
            "no answer from http://127.0.0.1:1/readyz: Connection refused; does a gateway run")
        try await Self.withOtherProtocol { port in
            try await Self.failure(
                of: ["health", "-"], input: "admin: 127.0.0.1:\(port)\n" + Self.file,
                "no answer from http://127.0.0.1:\(port)/readyz")
        }
    }

    @Test func `addresses that cannot be listened on are reported with their cause`() async throws {
        let taken = try await LoopbackServer.upstream()
        let port = taken.url.split(separator: ":").last.map(String.init) ?? ""
        let cases = [
            ("admin: 127.0.0.1:\(port)\n" + Self.file, "Address already in use (`ss -ltnp` names the process)"),
            ("admin: 192.0.2.1:9901\n" + Self.file, "no interface of this machine has this address"),
            ("admin: nowhere.invalid:9901\n" + Self.file, "the name has no address"),
            (
                Self.file.replacing("127.0.0.1:0", with: "192.0.2.1:8080"),
                "192.0.2.1:8080 is not an address of this machine"
            ),
            (Self.file.replacing("127.0.0.1:0", with: "127.0.0.1:\(port)"), "127.0.0.1:\(port) is in use"),
        ]
        for (text, words) in cases {
            let path = try folder.write(text, to: "\(UUID().uuidString).yaml").path
            try await Self.failure(of: ["serve", path], words)
        }
        for (address, words) in [
            ("192.0.2.1:80", "no interface of this machine"), ("nowhere.invalid:80", "the name has no address"),
        ] {
            try await Self.failure(of: ["issuer", "--listen", address], command: "bearward-dev", words)
        }
        try await Self.failure(
            of: ["token", "--issuer", "http://127.0.0.1:1", "--audience", "x"], command: "bearward-dev",
            "Connection refused")
        await taken.stop()
    }

    @Test func `files that cannot be read or written are reported with their cause`() async throws {
        let loop = folder.path("loop.yaml")
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        try await Self.failure(of: ["check", loop], "the file cannot be read: Too many levels of symbolic links")
        try await Self.failure(of: ["check", folder.path("nothing.yaml")], "there is no such file")
        let started = [
            "init", "--offline", "--issuer", "https://id.example.com", "--api", "https://a.example", "--output",
        ]
        try await Self.failure(
            of: started + ["/nowhere/x.yaml"], "/nowhere/x.yaml cannot be written: No such file or directory")
        let path = try folder.write("access_log: /nowhere/log\n" + Self.file, to: "log.yaml").path
        try await Self.failure(of: ["serve", path], "access_log: /nowhere/log: No such file or directory")
    }
}
