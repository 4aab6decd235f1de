import Foundation
import Testing

/// What `deploy/kubernetes` renders to, and what a change of a ConfigMap does.
struct KubernetesTests {
    /// What `Interop/kubernetes.py` prints.
    private struct Findings: Decodable {
        let problems: [String]
        let kinds: [String]
        let unvalidated: [String]
    }

    private static let directory = Interop.packageDirectory.appendingPathComponent("deploy/kubernetes")
    private static let versions = ["1.33", "1.35", "1.37"]

    /// Renders an overlay and judges it; its file is left in the directory.
    private static func findings(in overlay: String, filesIn directory: URL) async throws -> Findings {
        let python = try #require(Interop.pythonWithKubernetes)
        let kubectl = python.deletingLastPathComponent().appendingPathComponent("kubectl").path
        let path = Self.directory.appendingPathComponent("overlays/\(overlay)").path
        let judge = try BearwardProcess(program: python, [Interop.script("kubernetes.py"), kubectl, path, directory.path] + versions)
        try #require(await judge.exitStatus() == 0, "\(judge.standardError)")
        return try JSONDecoder().decode(Findings.self, from: Data(judge.standardOutput.utf8))
    }

    @Test(
        .enabled(if: Interop.pythonWithKubernetes != nil, "no kubectl or kubernetes-validate"),
        arguments: [("gateway", ["ServiceMonitor"]), ("judge", ["ServiceMonitor"]), ("sidecar", [])])
    func `an overlay is valid, restricted, and its file is fine`(_ overlay: String, _ unvalidated: [String]) async throws {
        let files = FileManager.default.temporaryDirectory.appendingPathComponent("overlay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: files) }
        let findings = try await Self.findings(in: overlay, filesIn: files)
        #expect(findings.problems == [])
        #expect(findings.unvalidated == unvalidated, "the README names them")
        #expect(findings.kinds.contains("Deployment") && findings.kinds.contains("NetworkPolicy"))
        let check = try BearwardProcess(["check", "--config", files.appendingPathComponent("bearward.yaml").path])
        #expect(await check.exitStatus() == 0, "\(check.standardError)")
    }

    @Test(.enabled(if: Interop.pythonWithKubernetes != nil, "no kubectl or kubernetes-validate"))
    func `every overlay is tried`() throws {
        let overlays = try FileManager.default.contentsOfDirectory(atPath: Self.directory.appendingPathComponent("overlays").path)
        #expect(Set(overlays) == ["gateway", "judge", "sidecar"])
    }

    @Test func `with --watch a change of a ConfigMap is taken as the kubelet makes it, and a bad file is refused`() async throws {
        let volume = try ConfigMapVolume(Self.file(rule: "GET /orders: {public: true}"))
        defer { volume.remove() }
        let gateway = try BearwardProcess(["serve", "--watch", "--config", volume.file.path])
        try #require(
            await BearwardProcess.wait { gateway.count(of: "Administration") > 0 || !gateway.process.isRunning }, "\(gateway.standardError)"
        )
        let port = try #require(gateway.port(of: "Listening"))
        let status = { (path: String) in try await Self.status(port: port, path) }
        #expect(try await status("/orders") == 502)
        #expect(try await status("/catalog") == 403)

        try volume.replace(with: Self.file(rule: "GET /catalog: {public: true}"))
        #expect(await BearwardProcess.wait { gateway.count(of: "Reloaded") == 1 }, "\(gateway.standardError)")
        #expect(try await status("/orders") == 403)
        #expect(try await status("/catalog") == 502)

        try volume.replace(with: Self.file(rule: "GET /orders: {publik: true}"))
        #expect(
            await BearwardProcess.wait { gateway.count(of: "Reload refused; the running configuration stays") == 1 },
            "\(gateway.standardError)")
        #expect(try await status("/catalog") == 502)

        try volume.replace(with: Self.file(rule: "GET /orders: {public: true}"))
        #expect(await BearwardProcess.wait { gateway.count(of: "Reloaded") == 2 }, "\(gateway.standardError)")
        #expect(try await status("/orders") == 502)
        gateway.signal(SIGTERM)
        #expect(await gateway.exitStatus() == 0)
    }

    private static func file(rule: String) -> String {
        """
        listen: 127.0.0.1:0
        admin: 127.0.0.1:0
        access_log: none
        resources:
          shop:
            at: /
            upstream: http://127.0.0.1:9
            rules:
              \(rule)
        """
    }

    private static func status(port: Int, _ path: String) async throws -> Int? {
        let curl = try BearwardProcess(
            program: #require(Interop.curl), ["-s", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(port)\(path)"])
        #expect(await curl.exitStatus() == 0)
        return Int(curl.standardOutput)
    }
}

/// A volume of a ConfigMap with one file: a link into `..data`, which is itself a link to a directory, and is set to another one with each change.
private struct ConfigMapVolume {
    private let directory: URL
    private let files = FileManager.default

    init(_ text: String) throws {
        directory = files.temporaryDirectory.appendingPathComponent("volume-\(UUID().uuidString)")
        try files.createDirectory(at: directory, withIntermediateDirectories: true)
        try replace(with: text)
        try files.createSymbolicLink(atPath: file.path, withDestinationPath: "..data/bearward.yaml")
    }

    var file: URL { directory.appendingPathComponent("bearward.yaml") }

    func replace(with text: String) throws {
        let data = directory.appendingPathComponent("..data")
        let earlier = try? files.destinationOfSymbolicLink(atPath: data.path)
        let name = "..\(UUID().uuidString)"
        let payload = directory.appendingPathComponent(name)
        try files.createDirectory(at: payload, withIntermediateDirectories: false)
        try Data(text.utf8).write(to: payload.appendingPathComponent("bearward.yaml"))
        let link = directory.appendingPathComponent("..data_tmp")
        try files.createSymbolicLink(atPath: link.path, withDestinationPath: name)
        try #require(unsafe rename(link.path, data.path) == 0)
        if let earlier { try files.removeItem(at: directory.appendingPathComponent(earlier)) }
    }

    func remove() { try? files.removeItem(at: directory) }
}
