import DevelopmentIssuer
import Foundation
import Glibc
import NIOHTTP1
import TestSupport
import Testing

@Suite(.serialized) struct CommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func run(_ arguments: [String], command: String = "bearward", input: String? = nil) async throws -> (
        Int32?, String, String
    ) {
        let process = try BearwardProcess(arguments, command: command, input: input)
        let status = await process.exitStatus()
        return (status, process.standardOutput, process.standardError)
    }

    /// Writes this text to a new file and returns its path.
    private func write(_ text: String) throws -> String {
        try folder.write(text, to: "\(UUID().uuidString).yaml").path
    }

    @Test func `check reports all errors with their location and the nearest valid key`() async throws {
        let file = try write(
            """
            listen: 127.0.0.1:0
            isuers: {}
            resources:
              https://api.example:
                issuers: [nobody]
                upstream: ftp://127.0.0.1:1
                rules: {GET /: authenticated}
            """,
        )
        let (status, output, errors) = try await Self.run(["check", "--config", file], input: "")
        #expect(status == 78)
        #expect(output.isEmpty)
        let lines = errors.split(separator: "\n")
        #expect(lines.count >= 3)
        #expect(lines.allSatisfy { $0.hasPrefix("\(file):") })
        #expect(errors.contains("\(file):2:1: error: isuers: "))
        #expect(errors.contains("`issuers`"))
    }

    @Test(arguments: [
        ["check", "--format", "xml"], ["serve", "--config", "-"], ["explain", "--config", "x.yaml"], ["nonsense"],
        ["serve", "--config"],
        ["explain", "-c", "-", "GET", "/", "--token", "-"],
    ])
    func `wrong usage exits with 64`(_ arguments: [String]) async throws {
        let (status, _, errors) = try await Self.run(arguments, input: "")
        #expect(status == 64)
        #expect(errors.contains("Usage"))
    }

    private static let smallest = """
        listen: 127.0.0.1:0
        issuers: {partner: {issuer: "https://id.partner.example", token_type: at+jwt, jwks_uri: "https://id.partner.example/keys"}}
        resources:
          https://api.example:
            at: /
            issuers: [partner]
            upstream: http://127.0.0.1:1
            rules: {GET /: authenticated, GET /status: {public: true}}
        """

    @Test func `the configuration may come from standard input`() async throws {
        let (status, _, errors) = try await Self.run(["check", "-c", "-"], input: Self.smallest)
        #expect(status == 0, "\(errors)")
        #expect(errors.hasSuffix("<stdin>: fine (1 resource, 2 rules, 1 issuer)\n"), "\(errors)")
        let (wrong, _, told) = try await Self.run(["check", "--config", "-"], input: Self.smallest + "\nisuers: {}")
        #expect(wrong == 78)
        #expect(told.contains("<stdin>:9:1: error: isuers: unknown key"))
        let (explained, output, _) = try await Self.run(
            ["explain", "-c", "-", "--offline", "GET", "/status"], input: Self.smallest)
        #expect(explained == 0)
        #expect(output.contains("→ forwarded"))
    }

    @Test func `explain prints the path that the upstream gets`() async throws {
        let file = try write(Self.smallest.replacing("http://127.0.0.1:1", with: "http://127.0.0.1:1/v1"))
        let call = ["explain", file, "--offline", "GET", "/status"]
        #expect(try await Self.run(call, input: "").1.contains("→ forwarded as /v1/status\n"))
        #expect(
            try await Self.run(call + ["--format", "json"], input: "").1.contains(#""forwarded_path":"/v1/status""#))
    }

    @Test func `the configuration file may be the first argument in place of the option`() async throws {
        let file = try write(Self.smallest)
        let tests = try write("tests: [{request: GET /status, expect: {status: 200}}]")
        let calls = [
            ["check", file], ["explain", file, "--offline", "GET", "/status"],
            ["explain", "GET", "/status", "--offline", "-c", file],
            ["test", file, tests],
        ]
        for arguments in calls {
            let (status, _, errors) = try await Self.run(arguments, input: "")
            #expect(status == 0, "\(arguments): \(errors)")
        }
        #expect(try await Self.run(["check", "-"], input: Self.smallest).0 == 0)
        for command in [["serve"], ["check"], ["health"], ["deny", "--list"]] {
            let (status, _, errors) = try await Self.run(command + ["/nonexistent.yaml"], input: "")
            #expect(
                status == 78 && errors.contains("/nonexistent.yaml:1:1: error: there is no such file"),
                "\(command): \(errors)")
        }
    }

    /// Ambiguous arguments are refused with an explanation.
    @Test(arguments: [
        (["check", "a.yaml", "-c", "b.yaml"], "`b.yaml` and `a.yaml` are both named as the configuration file"),
        (["check", "a.yaml", "-c", "a.yaml"], "both named"), (["serve", "--config", "a.yaml", "b.yaml"], "both named"),
        (["health", "a.yaml", "-c", "b.yaml"], "both named"),
        (["deny", "--list", "a.yaml", "-c", "b.yaml"], "both named"),
        (["explain", "a.yaml", "GET", "/", "-c", "b.yaml"], "both named"),
        (["test", "a.yaml", "t.yaml", "-c", "b.yaml"], "both named"),
        (["explain", "a.yaml", "/"], "the method is missing between 'a.yaml' and '/'"),
        (["explain", "./a", "/"], "the method is missing"),
        (["explain", "GET"], "explain [FILE] METHOD URL"),
        (["explain", "a.yaml", "GET", "/", "/x"], "explain [FILE] METHOD URL"),
        (["test", "a.yaml", "b.yaml", "c.yaml"], "test [FILE] TESTS"), (["serve", "-"], "serve FILE"),
        (["check", "a.yaml", "b.yaml"], "'b.yaml'"),
        (["explain", "-", "GET", "/", "--token", "-"], "cannot both be on standard input"),
    ])
    func `two configuration files, or a missing argument, are reported`(_ arguments: [String], _ message: String)
        async throws
    {
        let (status, _, errors) = try await Self.run(arguments, input: "")
        #expect(status == 64 && errors.contains(message), "\(errors)")
    }

    @Test(
        .enabled(
            if: !FileManager.default.fileExists(atPath: "/etc/bearward/bearward.yaml"),
            "there is a file of the system's"))
    func `without a file argument the file of the system is read`() async throws {
        for arguments in [["check"], ["serve"], ["explain", "GET", "/"]] {
            let (status, _, errors) = try await Self.run(arguments, input: "")
            #expect(status == 78)
            #expect(errors.contains("/etc/bearward/bearward.yaml:1:1: error: there is no such file"), "\(errors)")
        }
    }

    private struct Report: Decodable {
        struct Told: Decodable {
            let severity: String
            let line: Int
            let column: Int
            let key: String
            let message: String
            let hint: String?
        }

        let file: String
        let fine: Bool
        let errors: Int
        let warnings: Int
        let problems: [Told]
    }

    @Test func `check prints its findings as JSON`() async throws {
        let (status, output, errors) = try await Self.run(
            ["check", "-c", "-", "--format", "json"], input: Self.smallest)
        #expect(status == 0)
        #expect(errors.isEmpty)
        let fine = try JSONDecoder().decode(Report.self, from: Data(output.utf8))
        #expect(fine.fine && fine.errors == 0 && fine.warnings == fine.problems.count && fine.file == "<stdin>")
        let (refused, told, _) = try await Self.run(
            ["check", "-c", "-", "--format", "json"], input: Self.smallest + "\nisuers: {}")
        #expect(refused == 78)
        let report = try JSONDecoder().decode(Report.self, from: Data(told.utf8))
        let problem = try #require(report.problems.first { $0.severity == "error" })
        #expect(!report.fine && report.errors == 1)
        #expect(problem.line == 9 && problem.column == 1 && problem.key == "isuers" && problem.message == "unknown key")
        #expect(problem.hint == "did you mean `issuers`?")
    }

    /// A warning caused only by the date must not fail a check on a day when nobody changed the file.
    @Test(arguments: [
        ("token_type: any", Int32(1), 1), ("token_type: at+jwt", 0, 0), ("token_type: at+jwt, nonsense: 1", 78, 0),
        ("token_type: at+jwt}, unused: {issuer: https://b.example, token_type: any", 1, 2),
    ])
    func `check --strict fails on warnings`(_ issuer: String, _ expected: Int32, _ count: Int) async throws {
        let text = Self.smallest.replacing("token_type: at+jwt", with: issuer)
        let (status, _, errors) = try await Self.run(["check", "-", "--strict"], input: text)
        #expect(status == expected, "\(errors)")
        #expect(errors.contains(": fine (") == (expected == 0), "\(errors)")
        #expect(errors.contains("<stdin>: error: \(count) warning") == (count > 0), "\(errors)")
        let (_, output, _) = try await Self.run(["check", "-", "--strict", "--format", "json"], input: text)
        #expect(try JSONDecoder().decode(Report.self, from: Data(output.utf8)).fine == (expected == 0))
        let (usual, _, _) = try await Self.run(["check", "-"], input: text)
        #expect(usual == (expected == 78 ? 78 : 0))
    }

    @Test(arguments: [
        ("token_type: any", ["-q"], Int32(0), 0), ("token_type: any", ["--quiet", "--strict"], 1, 2),
        ("token_type: any", [], 0, 2),
        ("token_type: at+jwt", ["-q"], 0, 0), ("token_type: any, nonsense: 1", ["-q"], 78, 1),
    ])
    func `check --quiet prints only problems that make it fail`(
        _ issuer: String, _ flags: [String], _ expected: Int32, _ lines: Int
    )
        async throws
    {
        let text = Self.smallest.replacing("token_type: at+jwt", with: issuer)
        let (status, _, errors) = try await Self.run(["check", "-"] + flags, input: text)
        #expect(status == expected && errors.split(separator: "\n").count == lines, "\(errors)")
    }

    @Test func `notes and warnings caused only by the date do not fail check --strict`() async throws {
        let observed = Self.smallest.replacing(
            "    at: /\n", with: "    at: /\n    mode: {observe: {until: 2020-01-01}}\n")
        let (status, _, errors) = try await Self.run(["check", "-", "--strict"], input: observed)
        #expect(status == 0 && errors.contains("warning: ") && errors.contains("this time is over"), "\(errors)")
        let elsewhere = Self.smallest.replacing("listen: 127.0.0.1:0", with: "listen: 127.0.0.1:8080")
            .replacing("at: /", with: "at: api.example:8443")
        let (noted, _, told) = try await Self.run(["check", "-", "--strict"], input: elsewhere)
        #expect(noted == 0 && told.contains("note: ") && told.contains("no listener has port 8443"), "\(told)")
    }

    @Test func `an error in the YAML is marked in the printed line`() async throws {
        let (status, _, errors) = try await Self.run(
            ["check", "-c", "-"], input: "listen: 127.0.0.1:0\nadmin: @here\n")
        #expect(status == 78)
        #expect(errors.hasPrefix("<stdin>:2:8: error: this is not YAML"), "\(errors)")
        #expect(errors.hasSuffix("\n  | admin: @here\n  |        ^\n"), "\(errors)")
        let long = "admin: [" + String(repeating: "x", count: 1000) + "\u{1}"
        let (_, _, cut) = try await Self.run(["check", "-c", "-"], input: long)
        #expect(cut.split(separator: "\n").dropFirst().allSatisfy { $0.utf8.count < 140 }, "\(cut)")
    }

    @Test func `explain takes a whole Authorization value as the token, and --fail fails for a refusal`() async throws {
        let fixture = try await GatewayFixture.start()
        let token = try fixture.token()
        let call = ["explain", "-c", fixture.file.path, "GET", "/api/orders", "--fail", "--token"]
        for (written, expected) in [
            ("Bearer " + token, Int32(0)), ("bearer  " + token, 0), (token, 0), ("Bearer x", 1),
        ] {
            let (status, output, errors) = try await Self.run(call + [written], input: "")
            #expect(status == expected, "\(output)\(errors)")
        }
        let (status, _, _) = try await Self.run(call + ["-"], input: "Bearer " + token + "\n")
        #expect(status == 0)
        await fixture.stop()
    }

    @Test func `the health command reports the answer of the admin listener`() async throws {
        let fixture = try await GatewayFixture.start()
        let text = try String(contentsOf: fixture.file, encoding: .utf8)
        func file(_ admin: String) throws -> String { try write(text.replacing("admin: 127.0.0.1:0\n", with: admin)) }
        let here = try file("admin: 127.0.0.1:\(fixture.adminPort)\n")
        let (ready, output, errors) = try await Self.run(["health", "-c", here], input: "")
        #expect(ready == 0, "\(errors)")
        #expect(output.contains(#""phase":"running""#) || output.contains(#""ready":true"#), "\(output)")
        let (live, lived, _) = try await Self.run(
            ["health", "--live", "-c", try file("admin: 0.0.0.0:\(fixture.adminPort)\n")], input: "")
        #expect(live == 0 && lived == "ok\n")
        for unusable in ["", "admin: 127.0.0.1:0\n"] {
            let (status, _, message) = try await Self.run(["health", "-c", try file(unusable)], input: "")
            #expect(status == 78 && message.contains("write `admin: 127.0.0.1:9901`"), "\(message)")
        }
        await fixture.stop()
        let (gone, _, message) = try await Self.run(["health", "-c", here], input: "")
        #expect(
            gone == 69
                && message.contains("no answer from http://127.0.0.1:\(fixture.adminPort)/readyz: Connection refused"),
            "\(message)")
    }

    @Test func `a gateway without keys is live and not ready`() async throws {
        let file = Self.smallest.replacing("listen: 127.0.0.1:0", with: "listen: 127.0.0.1:0\nadmin: 127.0.0.1:0")
            .replacing("https://id.partner.example/keys", with: "https://127.0.0.1:1/keys")
        let served = try await ServedFile.start(file)
        let here = try write(file.replacing("admin: 127.0.0.1:0", with: "admin: 127.0.0.1:\(served.adminPort)"))
        let (status, output, errors) = try await Self.run(["health", "-c", here], input: "")
        #expect(status == 1, "\(output)\(errors)")
        #expect(output.contains("partner"))
        #expect(try await Self.run(["health", "--live", "-c", here], input: "").0 == 0)
        await served.stop()
    }

    @Test(arguments: ["bearward", "bearward-dev"]) func `each program prints its name and version`(_ command: String)
        async throws
    {
        let (status, output, _) = try await Self.run(["--version"], command: command, input: "")
        #expect(status == 0)
        #expect(
            output.wholeMatch(of: /(bearward|bearward-dev) 0\.9\.0 \(([0-9a-f]{12}\+?|unknown)\)\n/)?.output.1
                == command[...], "\(output)")
    }

    @Test func `the version is also printed by a command`() async throws {
        let (status, output, _) = try await Self.run(["version"], input: "")
        #expect(status == 0)
        #expect(output == (try await Self.run(["--version"], input: "")).1)
    }

    @Test(arguments: [
        (["srve"], "unknown command `srve`; did you mean `serve`?"),
        (["chekc", "--config", "x"], "unknown command `chekc`; did you mean `check`?"),
        (["expalin", "--nonsense"], "unknown command `expalin`; did you mean `explain`?"),
        (["qqqqqq"], "unknown command `qqqqqq`; known here: serve, init, check, "), (["worke"], "known here: serve"),
        ([""], "unknown command ``"),
        (["a\u{1B}[2J"], "unknown command `a\\u{1b}[2J`"),
    ])
    func `an unknown command is reported before its options, with the nearest command`(
        _ arguments: [String], _ message: String
    ) async throws {
        let (status, output, errors) = try await Self.run(arguments, input: "")
        #expect(status == 64 && output.isEmpty)
        #expect(errors.hasPrefix("bearward: error: ") && errors.contains(message), "\(errors)")
        #expect(errors.contains("Usage: bearward <subcommand>"), "\(errors)")
    }

    /// Messages about a configuration file begin with its path; other messages begin with the program's name.
    @Test(arguments: [
        (["check", "--conifg", "x"], "bearward: error: Unknown option '--conifg'. Did you mean '--config'?"),
        (["check", "-c", "/nonexistent.yaml"], "/nonexistent.yaml:1:1: error: "),
        (["health", "-c", "-"], "<stdin>: error: there is no `admin` address"),
        (["explain", "GET", "x"], "bearward: error: 'x' is neither"),
        (["deny", "-c", "-"], "bearward: error: name the issuer"),
        (["init", "--profile", "logto"], "bearward: error: "),
    ])
    func `all usage and file errors are printed in one form`(_ arguments: [String], _ beginning: String) async throws {
        let (status, _, errors) = try await Self.run(arguments, input: Self.smallest)
        #expect(status != 0)
        #expect(errors.split(separator: "\n").contains { $0.hasPrefix(beginning) }, "\(errors)")
        #expect(!errors.contains("Error: "), "\(errors)")
    }

    @Test func `a command whose output is closed ends silently`() async throws {
        let file = try write(Self.smallest)
        let tests = try write("tests: [{request: GET /status, expect: {status: 200}}]")
        let commands = [
            ["schema"], ["--help"], ["help", "check"], ["--version"], ["version"],
            ["check", "-c", file, "--format", "json"],
            ["explain", "-c", file, "--offline", "GET", "/status"], ["test", "-c", file, tests], ["diff", file, file],
            [
                "init", "--offline", "--issuer", "https://id.example.com", "--api", "https://api.example.com",
                "--output", "-",
            ],
        ]
        for arguments in commands {
            let process = try BearwardProcess(arguments, input: "", unread: [STDOUT_FILENO])
            #expect(await process.exitStatus() == 141, "\(arguments)")
            #expect(!process.standardError.contains("error"), "\(arguments): \(process.standardError)")
        }
        // SIGPIPE, or its exit status where SIGPIPE is ignored. The help text is short, so nothing may be lost.
        for (arguments, expected) in [
            (["--help"], [13, 0]), (["issuer", "--listen", "127.0.0.1:0"], [13, 141]),
        ] as [([String], [Int32?])] {
            let process = try BearwardProcess(arguments, command: "bearward-dev", input: "", unread: [STDOUT_FILENO])
            #expect(expected.contains(await process.exitStatus()), "\(arguments)")
            #expect(process.standardError.isEmpty, "\(arguments): \(process.standardError)")
        }
    }

    @Test func `a closed standard error does not change a command's exit status`() async throws {
        let bad = try write("listen: [")
        for (arguments, expected) in [
            (["check", "-c", bad], Int32(78)), (["check", "-c", try write(Self.smallest)], 0), (["srve"], 64),
        ] {
            let process = try BearwardProcess(arguments, input: "", unread: [STDERR_FILENO])
            #expect(await process.exitStatus() == expected, "\(arguments)")
        }
    }

    @Test func `a missing configuration file exits with 78 and is named`() async throws {
        let (status, _, errors) = try await Self.run(["serve", "--config", "/nonexistent/bearward.yaml"], input: "")
        #expect(status == 78)
        #expect(errors.contains("/nonexistent/bearward.yaml"))
    }

    @Test func `an address in use exits with 69 and is named (F45)`() async throws {
        let fixture = try await GatewayFixture.start()
        let text = try String(contentsOf: fixture.file, encoding: .utf8)
            .replacingOccurrences(of: "listen: 127.0.0.1:0", with: "listen: 127.0.0.1:\(fixture.port)")
        let (status, _, errors) = try await Self.run(["serve", "--config", try write(text)], input: "")
        #expect(status == 69)
        #expect(errors.contains("127.0.0.1:\(fixture.port)"))
        await fixture.stop()
    }

    @Test func `check --online reaches the issuer, or exits with 69`() async throws {
        let fixture = try await GatewayFixture.start()
        let (status, _, errors) = try await Self.run(["check", "--online", "--config", fixture.file.path], input: "")
        #expect(status == 0)
        #expect(errors.contains(": note: issuers.dev: 1 usable key\n"))
        #expect(errors.contains("\(fixture.file.path): fine ("))
        fixture.issuer.fault(IssuerFault(status: 500))
        let (failed, _, message) = try await Self.run(["check", "--online", "--config", fixture.file.path], input: "")
        #expect(failed == 69)
        let line = message.split(separator: "\n").first { $0.contains(": error: issuers.dev: ") }
        #expect(line?.contains("500") == true)
        #expect(line?.firstMatch(of: #/^(.+):[0-9]+:[0-9]+: error: /#)?.output.1 == fixture.file.path[...])
        await fixture.stop()
    }

    @Test func `explain gives the same verdict as the gateway`() async throws {
        let fixture = try await GatewayFixture.start()
        let cases = [
            ("GET", "/api/orders/7", try fixture.token()), ("GET", "/api/orders/7", try fixture.token(scopes: [])),
            ("GET", "/api/orders/7", nil), ("GET", "/api/orders/7", try fixture.token(lifetime: .seconds(-600))),
            ("GET", "/nowhere", nil), ("DELETE", "/api/me", nil), ("GET", "/api/status", nil),
            ("GET", "/api/%2e%2e/x", nil),
        ]
        for (method, path, token) in cases {
            let tokenArguments = token == nil ? [] : ["--token", "-"]
            let (status, output, errors) = try await Self.run(
                ["explain", "--config", fixture.file.path, method, path, "--format", "json"] + tokenArguments,
                input: token ?? "",
            )
            #expect(status == 0, "\(errors)")
            let explained = try JSONDecoder().decode(Explained.self, from: Data(output.utf8))
            let answer = try await fixture.get(path, token: token, method: .init(rawValue: method))
            // The shop has no order 7; the test only checks that the gateway forwarded the request.
            let passed = answer.fields["content-type"] != ["application/problem+json"]
            #expect(explained.status == (passed ? 200 : answer.status), "\(method) \(path): \(output)")
            #expect((explained.reason == nil) == passed)
            #expect(!explained.steps.isEmpty)
        }
        await fixture.stop()
    }

    @Test func `explain prints plain text outside a terminal, works offline, and takes a time`() async throws {
        let fixture = try await GatewayFixture.start()
        let token = try fixture.token()
        let arguments = [
            "explain", "--config", fixture.file.path, "GET", "http://127.0.0.1/api/orders", "--token", token,
        ]
        let (status, output, _) = try await Self.run(arguments, input: "")
        #expect(status == 0)
        #expect(
            output.contains("✓ signature") && output.contains("→ forwarded as /orders\n    X-Forwarded-Prefix: /api\n"))
        #expect(!output.contains("\u{1B}"))
        let (_, later, _) = try await Self.run(arguments + ["--at", "2099-01-01T00:00:00Z"], input: "")
        #expect(later.contains("→ 401 expired"))
        #expect(later.contains("    What to do: Have the app refresh its token before `exp`."))
        let (_, offline, note) = try await Self.run(arguments + ["--offline"], input: "")
        #expect(offline.contains("→ 503 keys_unavailable"))
        #expect(note.contains("--offline"))
        let call = [
            "explain", "--config", fixture.file.path, "POST", "/api/orders", "--header",
            "Content-Type: application/grpc+proto",
        ]
        let (_, refused, _) = try await Self.run(call, input: "")
        #expect(
            refused.contains("→ 401 missing_credentials") && refused.contains("Over HTTP/2: 200 with grpc-status: 16"))
        let (_, told, _) = try await Self.run(call + ["--format", "json"], input: "")
        #expect(told.contains(#""grpc_status":16"#))
        let (_, smuggled, _) = try await Self.run(
            [
                "explain", "--config", fixture.file.path, "GET", "/api/orders", "--header",
                "A: b\r\nX: y\r\n\r\nGET / HTTP/1.1",
            ], input: "",
        )
        #expect(smuggled.contains("→ 400 bad_request"))
        let (_, masked, _) = try await Self.run(
            ["explain", "--config", fixture.file.path, "GET", "/api/orders?[access_token]=secret&b=1"], input: "")
        #expect(masked.hasPrefix("GET /api/orders?[access_token]=***&b=1\n") && !masked.contains("secret"))
        let (_, _, wrong) = try await Self.run(
            ["explain", "--config", fixture.file.path, "GET", "api.example/orders?access_token=secret"], input: "")
        #expect(wrong.contains("'api.example/orders?access_token=***'") && !wrong.contains("secret"))
        await fixture.stop()
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "script is not installed"),
        arguments: [
            ("diff minimal.yaml other.yaml", "\u{1B}[31mnow allowed:\u{1B}[0m"),
            ("test minimal.yaml tests.yaml", "\u{1B}[31m1 failed\u{1B}[0m"),
            ("check broken.yaml", "\u{1B}[31merror\u{1B}[0m"),
            ("explain minimal.yaml --offline GET https://api.example.com/orders", "\u{1B}[31m→ 401"),
        ])
    func `a command has colours on a terminal, unless NO_COLOR asks for none`(_ command: String, _ coloured: String)
        async throws
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let minimal = try String(
            contentsOf: Interop.packageDirectory.appendingPathComponent("deploy/examples/minimal.yaml"),
            encoding: .utf8)
        let files = [
            ("minimal.yaml", minimal), ("other.yaml", minimal.replacing("orders:write", with: "orders:read")),
            ("broken.yaml", "listen: 0"),
            ("tests.yaml", "tests: [{request: GET https://api.example.com/orders, expect: {status: 200}}]"),
        ]
        for (name, text) in files { try folder.write(text, to: name) }
        let binary = BearwardProcess.directory.appendingPathComponent("bearward").path
        for (setting, hasColours) in [("unset NO_COLOR; ", true), ("NO_COLOR=1 ", false)] {
            let line = "cd '\(folder.url.path)' && \(setting)'\(binary)' \(command)"
            let process = try BearwardProcess(
                program: URL(fileURLWithPath: "/usr/bin/script"), ["-qec", line, "/dev/null"], input: "")
            _ = await process.exitStatus()
            #expect(process.standardOutput.contains(coloured) == hasColours, "\(process.standardOutput)")
            #expect(hasColours || !process.standardOutput.contains("\u{1B}["), "\(process.standardOutput)")
        }
    }

    /// `/dev/full` refuses every write.
    @Test(.enabled(if: Interop.shell != nil, "sh is not installed"))
    func `a command whose output cannot be written does not crash`() async throws {
        let fixture = try await GatewayFixture.start()
        let shell = try #require(Interop.shell)
        let binary = BearwardProcess.directory.appendingPathComponent("bearward").path
        let bad = try write("listen: [")
        let cases = [
            ("check --config \(bad) 2>/dev/full", 78), ("check --config \(bad) 2>&-", 78),
            ("explain --config \(fixture.file.path) GET /api/status >/dev/full", 70),
            ("explain --config \(fixture.file.path) GET /api/status <&- 2>&-", 0),
        ]
        for (command, expected) in cases {
            let process = try BearwardProcess(program: shell, ["-c", "'\(binary)' \(command)"])
            #expect(await process.exitStatus() == Int32(expected), "\(command)")
        }
        await fixture.stop()
    }

    @Test(arguments: ["ftp://api.example/orders", "orders", "127.0.0.1/orders"])
    func `explain accepts any request that a client could send, and no other`(_ url: String) async throws {
        let file = try write("listen: 127.0.0.1:0")
        let (status, _, errors) = try await Self.run(["explain", "--config", file, "GET", url], input: "")
        #expect(status == 64)
        #expect(errors.contains(url))
    }

    @Test func `demo --check succeeds`() async throws {
        let (status, output, errors) = try await Self.run(["demo", "--check"], command: "bearward-dev", input: "")
        #expect(status == 0, "\(output)\(errors)")
    }

    @Test func `the gateway's program contains no signing code`() async throws {
        // The module name is part of every symbol of its code.
        let module = Data("JOSESigning".utf8)
        let gateway = try Data(contentsOf: BearwardProcess.directory.appendingPathComponent("bearward"))
        #expect(gateway.range(of: module) == nil)
        let development = try Data(contentsOf: BearwardProcess.directory.appendingPathComponent("bearward-dev"))
        #expect(development.range(of: module) != nil, "the look-up itself works")
    }

    struct Explained: Decodable {
        let status: Int
        let reason: String?
        let steps: [Step]

        struct Step: Decodable { let verdict: String }
    }
}
