import Foundation
import TestSupport
import Testing

/// The consoles of README and the pages: every command is run as it stands, and does what the page says.
@Suite(.serialized) struct DocumentedConsoleTests {
    /// The file that the reader of an installation has written.
    private let writeOwnFile = "install -D -m 644 deploy/examples/minimal.yaml /etc/bearward/bearward.yaml"

    @Test(.needsScratchMachine) func `the commands of README do what it says`() async throws {
        let console = try await DocumentedConsole()
        try await console.type(writeOwnFile)
        try await console.follow("README.md")
    }

    @Test(.needsScratchMachine) func `the commands of the first page do what it says`() async throws {
        try await DocumentedConsole().follow("docs/getting-started.md")
    }

    @Test(.needsScratchMachine) func `the rehearsal with an identity provider prints what its page shows`() async throws
    {
        let console = try await DocumentedConsole()
        try console.machine.provide("bearward-dev", in: "bin")
        try await console.follow("docs/identity-providers.md")
    }

    @Test(.needsScratchMachine) func `the command of the page on policy finds the resource that localhost does not`()
        async throws
    {
        let console = try await DocumentedConsole()
        try console.machine.provide("bearward", in: "bin")
        let gateway = try console.machine.start("bearward serve --config deploy/examples/minimal.yaml")
        defer { gateway.process.terminate() }
        #expect(await BearwardProcess.wait { gateway.hasStarted }, "\(gateway.standardError)")
        try await console.follow("docs/policy.md")
        #expect(try await console.type("curl http://127.0.0.1:8080/orders").answer == 404)
    }

    @Test(.needsScratchMachine) func `tests of an example and the comparison of two files tell what their page shows`()
        async throws
    {
        let console = try await DocumentedConsole()
        try console.machine.provide("bearward", in: "bin")
        // The branch that a change is compared with, whose file the working copy still has.
        try await console.type(
            "git init -q && cp deploy/examples/minimal.yaml bearward.yaml && git add bearward.yaml"
                + " && git -c user.name=Ada -c user.email=ada@example.com commit -qm Begin"
                + " && git update-ref refs/remotes/origin/main HEAD")
        try await console.follow("docs/testing.md")
    }

    @Test(
        .needsScratchMachine, .enabled(if: Interop.kubectl != nil, "no kubectl"),
        .enabled(if: Interop.python != nil, "no python3"))
    func `kubectl applies an overlay with the commands of its page`() async throws {
        let kubectl = try #require(Interop.kubectl).path
        let console = try await DocumentedConsole()
        let configuration = console.machine.repository.appendingPathComponent("kubeconfig").path
        let server = try console.machine.start("python3 '\(Interop.script("kubernetes_api.py"))' '\(configuration)'")
        defer { server.process.terminate() }
        try #require(
            await BearwardProcess.wait { server.standardOutput.contains("ready") }, "\(server.standardError)")
        try await console.type("mkdir -p \"$HOME/bin\" && ln -s '\(kubectl)' \"$HOME/bin\"")
        console.set("KUBECONFIG", configuration)
        try await console.follow("deploy/kubernetes/README.md")
        let kept = try await console.type("kubectl get --raw /apis/apps/v1/namespaces/shop/deployments/bearward")
        #expect(kept.output.contains("\"kind\": \"Deployment\""))
    }

    @Test(
        .needsScratchMachine, .enabled(if: ScratchMachine.isRoot, "these commands are root's"),
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemctl"), "systemd is not installed")
    )
    func `ports 443 and 80 and the rotated log are there after the commands of the page on operating`() async throws {
        let blocks = try DocumentedPage("docs/operating.md").followedBlocks
        try #require(
            blocks.count == 3,
            "docs/operating.md has other consoles than this test sets the stage for: give each a part here")
        let console = try await DocumentedConsole()
        try await console.type(writeOwnFile)
        try await console.follow(blocks[0])
        await console.stopServer()
        try await Self.installWithPort443(blocks[1], console)
        try await Self.rotate(blocks[2], console)
        try await console.type("systemctl stop bearward.socket bearward.service")
    }

    private static func installWithPort443(_ block: DocumentedBlock, _ console: DocumentedConsole) async throws {
        let authority = try CertificateAuthority()
        let edge = try authority.issue("edge", for: ["DNS:api.example.com"])
        try await console.type("cp '\(edge.certificate.path)' '\(edge.key.path)' .")
        try await console.follow(block)
        let request = try #require(block.commands.first { $0.statusSaidAfter != nil }?.text)
        #expect(try await console.type(request).output.lowercased().contains("\nwww-authenticate: bearer"))
        // "Without `Host` the answer is 404."
        #expect(try await console.type(request.replacing("-H \"Host: api.example.com\" ", with: "")).answer == 404)
    }

    /// A line is in the moved file or in the new one, by the request that it is of.
    private static func rotate(_ block: DocumentedBlock, _ console: DocumentedConsole) async throws {
        let (log, moved) = ("/var/log/bearward/access.log", "/var/log/bearward/access.log.1")
        let has = { (path: String, request: String) in console.machine.text(of: path).contains("\"\(request)\"") }
        try await console.type("sed -i '1i access_log: \(log)' /etc/bearward/bearward.yaml")
        try await console.type("systemctl reload bearward")
        try #require(await BearwardProcess.wait { console.machine.text(of: "/run/bearward.log").contains("Reloaded") })
        try await console.type("curl http://localhost/earlier")
        try #require(
            await BearwardProcess.wait { has(log, "/earlier") }, "\(console.machine.text(of: "/run/bearward.log"))")
        try await console.follow(block)
        try #require(
            await BearwardProcess.wait { FileManager.default.fileExists(atPath: console.machine.file(log).path) })
        try await console.type("curl http://localhost/later")
        try #require(await BearwardProcess.wait { has(log, "/later") })
        #expect(!has(log, "/earlier"))
        #expect(has(moved, "/earlier") && !has(moved, "/later"))
    }

    @Test(
        .needsScratchMachine,
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemctl"), "systemd is not installed")
    )
    func `the commands of the runbook do what it says`() async throws {
        let blocks = try DocumentedPage("docs/runbook.md").blocks
        let console = try await DocumentedConsole()
        let stage = try await RunbookStage(console)
        for block in blocks {
            let has = { (text: String) in block.commands.contains { $0.text.contains(text) } }
            if has("denied") { try await stage.sendDeniedToken() }
            if has("429") { try await stage.sendForgedTokens() }
            try await console.follow(block)
            if has("systemctl reload") { try await stage.expectReload() }
        }
        try await stage.end()
    }

    @Test(.needsScratchMachine) func `the picture of README shows what explain prints`() async throws {
        let console = try await DocumentedConsole()
        let page = try DocumentedPage("README.md")
        try await console.follow(try #require(page.blocks.first { $0.commands.first?.program == "make" }))
        let picture = try String(
            contentsOf: Interop.packageDirectory.appendingPathComponent("docs/explain.svg"), encoding: .utf8)
        var lines = picture.matches(of: /<text [^>]*>(.*?)<\/text>/).map { text in
            String(text.output.1).replacing(/<[^>]+>/, with: "")
        }
        let command = try #require(lines.isEmpty ? nil : lines.removeFirst())
        try console.machine.provide("bearward", in: "bin")
        try console.savePrintedFile()
        let printed = try await console.type(String(command.dropFirst(2))).output
        // A long line is cut off in the picture.
        let shown = lines.map { $0.hasSuffix("…") ? String($0.dropLast()) : $0 }
        let cut = printed.split(separator: "\n").map { line in
            shown.first { line.count > $0.count && $0.count > 100 && line.hasPrefix($0) } ?? String(line)
        }
        let difference = ShownOutput(shown).difference(from: cut.joined(separator: "\n"))
        #expect(difference == nil, "docs/explain.svg is out of date: \(printed)")
        await console.stopServer()
    }

    /// Number of blocks that are neither consoles nor YAML, by page and language. `PageYAMLTests` loads the YAML.
    private static let otherBlocks = [
        // A drawing.
        "CONTRIBUTING.md": ["": 1],
        "docs/apis-behind.md": ["python": 1, "java": 1, "js": 1],  // APIsBehindTests
        "docs/denials.md": ["json": 1],  // PageYAMLTests
        "docs/edge.md": ["js": 1],  // BrowserEndToEndTests
        "docs/library.md": ["swift": 1],  // PageTests
        // Lines of a log.
        "docs/getting-started.md": ["json": 1],
        "docs/operating.md": ["json": 2, "nginx": 1],  // NginxInFrontTests
    ]

    /// Number of consoles that `.ci/install-test` follows.
    private static let installedBlocks = ["README.md": 2, "docs/operating.md": 1]

    @Test func `no page has commands that no test runs`() throws {
        let tested: Set = [
            "README.md", "docs/getting-started.md", "docs/identity-providers.md", "docs/operating.md", "docs/policy.md",
            "docs/runbook.md", "docs/testing.md", "deploy/kubernetes/README.md",
        ]
        for page in try DocumentedPage.all() {
            #expect(page.strayCommands.isEmpty, "Commands belong in ```console, where they are run.")
            #expect(
                page.otherBlocks == Self.otherBlocks[page.name] ?? [:],
                "\(page.name): a block of another language needs a test that runs or loads it; count it above.")
            #expect(
                page.blocks.count - page.followedBlocks.count == Self.installedBlocks[page.name] ?? 0,
                "\(page.name): have .ci/install-test follow the console that installs, and count it above.")
            guard !page.blocks.isEmpty else { continue }
            #expect(
                tested.contains(page.name),
                "\(page.name) has a console: write a test above that follows it, and name the page here.")
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where namespaces cannot be had.
    static var needsScratchMachine: ConditionTrait {
        .enabled(
            "it needs namespaces of network and mounts, overlays over /usr/bin for root, ip, curl, make, openssl and python3",
            ScratchMachine.isPossible)
    }
}
