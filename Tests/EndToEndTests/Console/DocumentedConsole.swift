import Foundation
import TestSupport
import Testing

/// Reads a page as somebody with a terminal would: types its commands in their order, and holds each against what the
/// page says of it.
final class DocumentedConsole {
    let machine: ScratchMachine
    /// Variables that the reader pasted, by name.
    private var variables: [String: String] = [:]
    /// Program in the other terminal, and the status that Ctrl-C gives it.
    private var server: (process: BearwardProcess, endsWith: Int32)?
    /// The file that the demo printed.
    private var printedFile = ""
    private var last: ScratchMachine.Outcome?

    init() async throws {
        machine = try await ScratchMachine.start()
    }

    /// Everything on one page, in its order.
    func follow(_ name: String) async throws {
        let page = try DocumentedPage(name)
        #expect(!page.blocks.isEmpty, "\(name) shows no console: take its test away")
        for block in page.followedBlocks { try await follow(block) }
        await stopServer()
    }

    func follow(_ block: DocumentedBlock) async throws {
        if !block.output.isEmpty { compare(block.output, last, at: "\(block.page):\(block.line)") }
        for command in block.commands {
            guard let outcome = try await run(command) else { continue }
            last = outcome
            try judge(outcome, of: command)
        }
    }

    /// Saves the file that the demo printed as `bearward.yaml`.
    func savePrintedFile() throws {
        try printedFile.write(
            to: machine.repository.appendingPathComponent("bearward.yaml"), atomically: true, encoding: .utf8)
    }

    /// Sets a shell variable that the page takes for given.
    func set(_ name: String, _ value: String) { variables[name] = value }

    /// A line that is not on the page, for the stage of a test.
    @discardableResult
    func type(_ line: String) async throws -> ScratchMachine.Outcome {
        let outcome = try await machine.run(line, variables: variables)
        try #require(outcome.status == 0, "\(line): \(outcome.errors)")
        return outcome
    }

    /// How each command is run. There is no other way through: what is not listed fails.
    private func run(_ command: DocumentedCommand) async throws -> ScratchMachine.Outcome? {
        let arguments = command.words.dropFirst()
        switch (command.program, arguments.first ?? "") {
        case ("make", let target) where arguments.count == 1:
            return try await make(target, command)
        case ("bearward-dev", "demo") where !arguments.contains("--check"):
            return try await demo(command.text)
        case ("bearward", "serve"):
            return try await serve(command.text, endsWith: 0) { $0.hasStarted }
        case ("bearward", "init"):
            return try await initialize(command)
        case ("bearward", "explain"):
            // "With the file that it printed saved as `bearward.yaml`".
            if !printedFile.isEmpty { try savePrintedFile() }
            return try await machine.run(command.text, variables: variables)
        case ("bearward", "check"), ("bearward", "deny"), ("bearward", "diff"), ("bearward", "test"),
            ("bearward", "top"), ("bearward", "why"),
            ("bearward-dev", "demo"), ("curl", _), ("df", _), ("git", _), ("grep", _), ("groupadd", _), ("head", _),
            ("install", _), ("kubectl", _), ("mv", _), ("sed", _), ("systemctl", _):
            return try await machine.run(command.text, variables: variables)
        default:
            Issue.record(
                "\(command): no test knows how to run this. Teach it DocumentedConsole.run(_:), with what it needs.")
            return nil
        }
    }
}

// MARK: - Judging

extension DocumentedConsole {
    private func judge(_ outcome: ScratchMachine.Outcome, of command: DocumentedCommand) throws {
        // What comes after it on the page builds on it.
        try #require(outcome.status == 0, "\(command): \(outcome.errors)")
        if !command.output.isEmpty { compare(command.output, outcome, at: command.description) }
        // A pipe succeeds even if its first grep finds nothing.
        if command.program == "grep" { #expect(!outcome.output.isEmpty, "\(command)") }
        guard command.program == "curl" else { return }
        for promised in [command.status, command.statusSaidAfter].compactMap({ $0 }) {
            #expect(outcome.answer == promised, "\(command): \(outcome.output)")
        }
        // Without a promise: it found a resource, and nothing is broken.
        guard command.status == nil, command.statusSaidAfter == nil else { return }
        #expect(
            outcome.answer == 200 || outcome.answer == 401 || outcome.answer == 403, "\(command): \(outcome.output)")
    }

    private func compare(_ shown: [String], _ outcome: ScratchMachine.Outcome?, at place: String) {
        let difference = ShownOutput(shown).difference(from: outcome?.output ?? "")
        #expect(difference == nil, "\(place): \(outcome?.output ?? "no command was run before")")
    }
}

// MARK: - Programs that stay

extension DocumentedConsole {
    /// The one before it is ended first, as its reader would.
    private func serve(
        _ line: String, endsWith status: Int32, isReady: (BearwardProcess) -> Bool
    ) async throws -> ScratchMachine.Outcome {
        await stopServer()
        let started = try machine.start(line)
        server = (started, status)
        _ = await BearwardProcess.wait { isReady(started) || !started.process.isRunning }
        return ScratchMachine.Outcome(
            status: isReady(started) ? 0 : started.process.isRunning ? nil : started.process.terminationStatus,
            output: started.standardOutput, errors: started.standardError)
    }

    /// Ctrl-C.
    func stopServer() async {
        guard let server else { return }
        server.process.signal(SIGINT)
        #expect(await server.process.exitStatus() == server.endsWith, "\(server.process.standardError)")
        self.server = nil
    }

    private func demo(_ line: String) async throws -> ScratchMachine.Outcome {
        let outcome = try await serve(line, endsWith: 0) { $0.standardOutput.contains("Ctrl-C stops everything") }
        let file = try #require(outcome.output.firstMatch(of: /(?s)with this file:\n\n(.+?)\n# Paste/), "\(outcome)")
        printedFile = String(file.output.1)
        for token in outcome.output.matches(of: /(?m)^([A-Z]+)=(.+)$/) {
            variables[String(token.output.1)] = String(token.output.2)
        }
        return outcome
    }
}

// MARK: - Commands that need a stand-in

extension DocumentedConsole {
    /// Building takes minutes, and was done before the tests: make says what it would do. What it builds then is there,
    /// and what it ends in is run.
    private func make(_ target: String, _ command: DocumentedCommand) async throws -> ScratchMachine.Outcome? {
        let plan = try await machine.run("make -n \(target)")
        #expect(plan.status == 0, "\(command): \(plan.errors)")
        let built = plan.output.matches(of: /swift build (-c release )?.*--product ([a-z-]+)/)
        for product in built {
            try machine.provide(
                String(product.output.2), in: product.output.1 == nil ? ".build/debug" : ".build/release")
        }
        let end = plan.output.matches(of: /(?m)^\$\(swift build --show-bin-path\)\/(bearward-dev demo.*)$/).last
        if let end { return try await demo(".build/debug/" + end.output.1) }
        guard built.isEmpty else { return plan }
        Issue.record(
            "\(command): nothing is built and no program run. Teach DocumentedConsole.make(_:_:) what this target is for."
        )
        return nil
    }

    /// The issuer that the page names answers on this machine, with a certificate that the system trusts.
    private func initialize(_ command: DocumentedCommand) async throws -> ScratchMachine.Outcome {
        let authority = try CertificateAuthority()
        let identity = try authority.issue("issuer", for: ["DNS:id.example.com"])
        try await type("echo 127.0.0.2 id.example.com >>/etc/hosts")
        try await type("cat '\(authority.anchor.path)' >>/etc/ssl/certs/ca-certificates.crt")
        let issuer = try machine.start(
            "python3 '\(Interop.script("issuer_over_tls.py"))' '\(identity.certificate.path)' '\(identity.key.path)' "
                + "https://id.example.com 127.0.0.2")
        defer { issuer.process.terminate() }
        #expect(await BearwardProcess.wait { issuer.standardOutput.contains("ready") }, "\(issuer.standardError)")
        try machine.provide("bearward", in: "bin")
        let outcome = try await machine.run(command.text)
        guard outcome.status == 0 else { return outcome }
        try await type("bearward check --online --config bearward.yaml")
        let again = try await machine.run(command.text)
        #expect(again.status == 64, "it never overwrites a file")
        return outcome
    }
}
