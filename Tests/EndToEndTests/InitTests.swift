import DevelopmentIssuer
import Foundation
import TestSupport
import Testing

/// `bearward init`: from an issuer's URL to a file that `check --online` finds fine.
struct InitTests {
    private let folder: TemporaryFolder
    /// Path of the file to write, which does not exist yet.
    private var file: String { folder.path("bearward.yaml") }

    init() throws { folder = try TemporaryFolder() }

    private static func run(_ arguments: [String], input: String = "") async throws -> (
        status: Int32?, output: String, errors: String
    ) {
        let process = try BearwardProcess(arguments, input: input)
        return (await process.exitStatus(), process.standardOutput, process.standardError)
    }

    @Test func `init writes a valid file from an issuer's URL, an API and scopes`() async throws {
        let fixture = try await GatewayFixture.start()
        let call = [
            "init", "--issuer", fixture.issuer.issuer, "--api", "https://api.example.com", "--scope", "orders:read",
            "--scope",
            "orders:write", "--upstream", fixture.shop.url, "--output", file,
        ]
        let (status, output, errors) = try await Self.run(call)
        #expect(status == 0, "\(errors)")
        #expect(output.isEmpty)
        let (checked, _, told) = try await Self.run(["check", "--online", "--config", file])
        #expect(checked == 0)
        #expect(!told.contains("warning") && !told.contains("error"), "\(told)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("algorithms: [RS256]"))
        #expect(text.contains("GET /**: {all_of: [\"orders:read\"]}"))

        let (again, _, refused) = try await Self.run(call)
        #expect(again == 64)
        #expect(refused.contains("is there already"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        await fixture.stop()
    }

    @Test func `init for a container listens on every address, and requires an upstream`()
        async throws
    {
        let call = [
            "init", "--container", "--offline", "--issuer", "https://id.example.com", "--api",
            "https://api.example.com", "--output",
        ]
        let (status, _, errors) = try await Self.run(call + [file])
        #expect(status == 64)
        #expect(errors.contains("--upstream is missing"), "\(errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
        let (made, text, told) = try await Self.run(call + ["-", "--upstream", "http://orders:9000"])
        #expect(made == 0, "\(told)")
        #expect(
            text.contains("\nlisten: 0.0.0.0:8080\n") && text.contains("upstream: \"http://orders:9000\""), "\(text)")
    }

    @Test func `init asks for values that are not given`() async throws {
        let answers =
            "https://5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412.ciamlogin.com/5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412/v2.0\n"
            + "https://api.example.com\n0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70\n\nhttp://127.0.0.1:9090\n"
        let (status, _, errors) = try await Self.run(["init", "--offline", "--output", file], input: answers)
        #expect(status == 0, "\(errors)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for line in [
            "profile: entra-external", "audiences: [\"0d9e4c21", "upstream: \"http://127.0.0.1:9090\"",
            "ANY /**: authenticated",
        ] {
            #expect(text.contains(line), "\(text)")
        }
        #expect(try await Self.run(["check", "--config", file]).status == 0)
    }

    @Test func `init asks again after a wrong answer, and offers scopes and introspection from the metadata`()
        async throws
    {
        let issuer = try await OnlineCheckTests.Issuer.start()
        issuer.say(#","scopes_supported":["openid","orders:read"],"introspection_endpoint":"@/ask""#)
        try folder.write("s3cret", to: "secret")
        let secret = folder.path("secret")
        let answers = [
            "ftp://id.example.com", issuer.url, "orders", "https://api.example.com", "orders\"read", "orders:read",
            "ftp://127.0.0.1", "http://127.0.0.1:9090", "gateway", folder.path("no-secret"), secret,
        ]
        let (status, _, errors) = try await Self.run(
            ["init", "--output", file], input: answers.joined(separator: "\n") + "\n")
        #expect(status == 0, "\(errors)")
        #expect(errors.components(separatedBy: "; answer again").count - 1 == 5, "\(errors)")
        #expect(errors.contains("the issuer lists orders:read)"), "\(errors)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for line in [
            "issuer: \"\(issuer.url)\"", "client_id: \"gateway\"", "client_secret_file: \"\(secret)\"",
            "ANY /**: {all_of: [\"orders:read\"]}", "upstream: \"http://127.0.0.1:9090\"",
        ] {
            #expect(text.contains(line), "\(text)")
        }
        await issuer.stop()
    }

    @Test func `init asks again for an issuer that does not answer, and ends with the last mistake of the input`()
        async throws
    {
        let fixture = try await GatewayFixture.start()
        let answers = "http://127.0.0.1:9\nhttps://api.example.com\n\(fixture.issuer.issuer)\norders\"read\n"
        let (status, _, errors) = try await Self.run(["init", "--output", file], input: answers)
        #expect(status == 64, "\(errors)")
        #expect(errors.components(separatedBy: "; answer again").count - 1 == 2, "\(errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
        let (unreached, _, reasons) = try await Self.run(
            ["init", "--output", file], input: "http://127.0.0.1:9\nhttps://api.example.com\n")
        #expect(unreached == 64, "\(reasons)")
        #expect(reasons.components(separatedBy: "127.0.0.1:9").count - 1 == 2, "\(reasons)")
        #expect(!reasons.contains("is missing"), "\(reasons)")
        await fixture.stop()
    }

    @Test(arguments: [
        (["--profile", "logto"], Int32(64), "--set endpoint=… is missing"),
        (["--issuer", "https://id.example.com"], 64, "--api is missing"),
        (["--profile", "logto", "--set", "endpiont=x", "--api", "https://a.example"], 64, "no parameter 'endpiont'"),
        (
            ["--profile", "logto", "--set", "endpoint=https://a.example/oidc", "--api", "https://a.example"], 78,
            "write it without `/oidc`"
        ),
        (
            ["--issuer", "https://id.invalid", "--api", "https://a.example"], 69,
            "--offline writes the file anyway"
        ),
        (["--issuer", "https://id.example.com", "--profile", "logto"], 64, "exclude each other"),
        (["--introspect-client", "gateway"], 64, "belong together"),
        (["--profile", "nonsense"], 64, "nonsense"),
        (
            [
                "--offline", "--issuer", "https://id.example.com", "--api", "https://a.example", "--output",
                "/nowhere/x.yaml",
            ], 70,
            "cannot be written: "
        ),
    ])
    func `init writes no file if a required value is missing or wrong`(
        _ options: [String], _ expected: Int32, _ message: String
    )
        async throws
    {
        let (status, _, errors) = try await Self.run(["init", "--output", file] + options)
        #expect(status == expected, "\(errors)")
        #expect(errors.contains(message), "\(errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
