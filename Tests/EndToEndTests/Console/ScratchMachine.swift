import Foundation
import TestSupport

/// A machine for the commands of a page: with its own network, `/etc`, `/usr/bin`, `/var/log` and `/run`, and a copy of
/// the repository's top level.
///
/// Pages keep their ports and paths in it, and nothing of the real machine changes. Its namespaces end with this value.
final class ScratchMachine: Sendable {
    /// The copy, where commands run.
    let repository: URL
    private let namespaces: BearwardProcess
    private let folder: TemporaryFolder
    private var directory: URL { folder.url }

    struct Failure: Error {
        let message: String
    }

    private init(folder: TemporaryFolder, namespaces: BearwardProcess) {
        self.folder = folder
        self.namespaces = namespaces
        repository = folder.url.appendingPathComponent("repository")
    }

    static func start() async throws -> ScratchMachine {
        let folder = try TemporaryFolder()
        let directory = folder.url
        try copyRepository(to: directory.appendingPathComponent("repository"))
        try makeHome(in: directory)
        // Without root the namespaces are those of a user who looks like root in them.
        let options = (isRoot ? [] : ["--map-root-user"]) + ["--net", "--mount"]
        let namespaces = try BearwardProcess(
            program: URL(fileURLWithPath: "/usr/bin/unshare"),
            options + ["bash", Interop.script("machine.sh"), directory.path])
        _ = await BearwardProcess.wait { namespaces.standardOutput.contains("ready") || !namespaces.process.isRunning }
        guard namespaces.standardOutput.contains("ready") else { throw Failure(message: namespaces.standardError) }
        return ScratchMachine(folder: folder, namespaces: namespaces)
    }

    static let isRoot = getuid() == 0

    /// Whether this system lets us have one, and has what the pages use.
    static func isPossible() async -> Bool {
        guard let machine = try? await start() else { return false }
        let tools = "bash curl make openssl python3 install".split(separator: " ")
        let found = try? await machine.run(tools.map { "command -v \($0)" }.joined(separator: " && "))
        return found?.status == 0
    }

    /// Links to everything but what was built: that comes when a page says so.
    private static func copyRepository(to copy: URL) throws {
        let files = FileManager.default
        try files.createDirectory(at: copy, withIntermediateDirectories: true)
        for name in try files.contentsOfDirectory(atPath: Interop.packageDirectory.path)
        where ![".build", ".git"].contains(name) {
            try files.createSymbolicLink(
                at: copy.appendingPathComponent(name),
                withDestinationURL: Interop.packageDirectory.appendingPathComponent(name))
        }
    }

    /// Makes a folder of programs that precede the system's on the path, and a curl that prints the status on standard
    /// error.
    private static func makeHome(in directory: URL) throws {
        let programs = directory.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        let systemctl = URL(fileURLWithPath: Interop.script("systemctl.py"))
        try FileManager.default.createSymbolicLink(
            at: programs.appendingPathComponent("systemctl"), withDestinationURL: systemctl)
        let settings = "silent\nshow-error\nmax-time = 20\nwrite-out = \"%{stderr}%{http_code}\"\n"
        try settings.write(to: directory.appendingPathComponent(".curlrc"), atomically: true, encoding: .utf8)
    }
}

// MARK: - Files

extension ScratchMachine {
    /// Path of a file of this machine, seen from outside.
    func file(_ path: String) -> URL {
        URL(fileURLWithPath: "/proc/\(namespaces.process.processIdentifier)/root\(path)")
    }

    /// Content of a file. Empty if there is none.
    func text(of path: String) -> String {
        (try? String(contentsOf: file(path), encoding: .utf8)) ?? ""
    }

    /// Makes a program that was built for the tests one of the copy (`.build/debug/bearward`), or an installed one
    /// (`bin/bearward`).
    ///
    /// The tests have debug builds alone: they stand in for release builds too.
    func provide(_ program: String, in place: String) throws {
        let target = place == "bin" ? directory.appendingPathComponent(place) : repository.appendingPathComponent(place)
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        let link = target.appendingPathComponent(program)
        try? FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: BearwardProcess.directory.appendingPathComponent(program))
    }
}

// MARK: - Commands

extension ScratchMachine {
    struct Outcome: Sendable {
        let status: Int32?
        let output: String
        let errors: String

        /// The status of the answer, if the command was curl.
        var answer: Int? { Int(errors.suffix(3)) }
    }

    /// Runs a line as bash reads it, in the copy.
    func run(_ line: String, variables: [String: String] = [:]) async throws -> Outcome {
        let process = try enter(line, variables, input: "")
        return Outcome(
            status: await process.exitStatus(), output: process.standardOutput, errors: process.standardError)
    }

    /// Starts what does not end by itself; the process is the program, so signals reach it.
    func start(_ line: String) throws -> BearwardProcess {
        try enter("exec " + line, [:], input: nil)
    }

    private func enter(_ line: String, _ variables: [String: String], input: String?) throws -> BearwardProcess {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let environment = [
            "PATH": "\(directory.appendingPathComponent("bin").path):\(path)", "HOME": directory.path,
            "CURL_HOME": directory.path,
            "LC_ALL": "C.UTF-8",
        ]
        let target = ["--target", "\(namespaces.process.processIdentifier)", "--net", "--mount"]
        let user = Self.isRoot ? [] : ["--user", "--preserve-credentials"]
        return try BearwardProcess(
            program: URL(fileURLWithPath: "/usr/bin/nsenter"),
            target + user + ["bash", "-c", "cd '\(repository.path)'\n\(line)"], input: input,
            environment: environment.merging(variables) { own, _ in own })
    }
}
