import Foundation
import JOSESigning
import TestSupport
import Testing

/// The rendered manifests of `deploy/kubernetes`, and reloads after a ConfigMap change.
struct KubernetesTests {
    /// Output of `Interop/kubernetes.py`.
    private struct Findings: Decodable {
        let problems: [String]
        let kinds: [String]
        let unvalidated: [String]
    }

    private static let directory = Interop.packageDirectory.appendingPathComponent("deploy/kubernetes")
    private static let versions = ["1.33", "1.35", "1.37"]

    /// Renders and validates an overlay. Its configuration file is left in the directory.
    private static func findings(in overlay: String, filesIn directory: URL) async throws -> Findings {
        let python = try #require(Interop.pythonWithKubernetes)
        let kubectl = python.deletingLastPathComponent().appendingPathComponent("kubectl").path
        let path = Self.directory.appendingPathComponent("overlays/\(overlay)").path
        let judge = try BearwardProcess(
            program: python, [Interop.script("kubernetes.py"), kubectl, path, directory.path] + versions)
        try #require(await judge.exitStatus() == 0, "\(judge.standardError)")
        return try JSONDecoder().decode(Findings.self, from: Data(judge.standardOutput.utf8))
    }

    @Test(
        .enabled(if: Interop.pythonWithKubernetes != nil, "no kubectl or kubernetes-validate"),
        arguments: [
            ("gateway", ["PrometheusRule", "ServiceMonitor"]), ("judge", ["PrometheusRule", "ServiceMonitor"]),
            ("sidecar", []),
        ])
    func `each overlay is valid and restricted, and its configuration file passes check`(
        _ overlay: String, _ unvalidated: [String]
    )
        async throws
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let findings = try await Self.findings(in: overlay, filesIn: folder.url)
        #expect(findings.problems == [])
        #expect(findings.unvalidated.sorted() == unvalidated, "the README names them")
        #expect(findings.kinds.contains("Deployment") && findings.kinds.contains("NetworkPolicy"))
        let check = try BearwardProcess(["check", "--config", folder.path("bearward.yaml")])
        #expect(await check.exitStatus() == 0, "\(check.standardError)")
    }

    @Test(.enabled(if: Interop.pythonWithKubernetes != nil, "no kubectl or kubernetes-validate"))
    func `every overlay is tested`() throws {
        let overlays = try FileManager.default.contentsOfDirectory(
            atPath: Self.directory.appendingPathComponent("overlays").path)
        #expect(Set(overlays) == ["gateway", "judge", "sidecar"])
    }

    /// Manifest files with the names used in the README: the examples, and the files of components that are not
    /// patches.
    private static func manifests() throws -> [String] {
        let examples = try FileManager.default.contentsOfDirectory(
            atPath: directory.appendingPathComponent("examples").path)
        let components = try FileManager.default.subpathsOfDirectory(
            atPath: directory.appendingPathComponent("components").path)
        return examples.filter { $0.hasSuffix(".yaml") }.map { "examples/\($0)" }
            + components.filter { $0.hasSuffix(".yaml") && !$0.hasSuffix("kustomization.yaml") }.map {
                "components/\($0)"
            }
    }

    @Test(.enabled(if: Interop.pythonWithKubernetes != nil, "no kubectl or kubernetes-validate"))
    func `the README names exactly the custom resources that are not validated`() async throws {
        let python = try #require(Interop.pythonWithKubernetes)
        var unvalidated: Set<String> = []
        for file in try Self.manifests() {
            let path = Self.directory.appendingPathComponent(file).path
            let judge = try BearwardProcess(
                program: python, [Interop.script("kubernetes.py"), "validate", path] + Self.versions)
            try #require(await judge.exitStatus() == 0, "\(judge.standardError)")
            let findings = try JSONDecoder().decode(Findings.self, from: Data(judge.standardOutput.utf8))
            #expect(findings.problems == [], "\(file)")
            #expect(!findings.kinds.isEmpty, "\(file)")
            for kind in findings.unvalidated { unvalidated.insert("\(kind) in \(file)") }
        }
        let readme = try String(contentsOf: Self.directory.appendingPathComponent("README.md"), encoding: .utf8)
        let rows = readme.matches(of: /\| ([A-Z][A-Za-z]+)(?: \(.*\))? \| `([a-z\/-]+\.yaml)` \|/)
        #expect(rows.count == unvalidated.count)
        #expect(Set(rows.map { "\($0.1) in \($0.2)" }) == unvalidated)
    }

    @Test func `with --watch a ConfigMap change by the kubelet is loaded, and a bad file is refused`()
        async throws
    {
        let volume = try KubernetesVolume(Self.files(rule: "GET /orders: {public: true}"))
        defer { withExtendedLifetime(volume) {} }
        let gateway = try BearwardProcess(["serve", "--watch", "--config", volume.path("bearward.yaml")])
        try #require(
            await BearwardProcess.wait { gateway.count(of: "Admin listener ready") > 0 || !gateway.process.isRunning },
            "\(gateway.standardError)"
        )
        let port = try #require(gateway.port(of: "Listening"))
        let status = { (path: String) in try await Self.status(port: port, path) }
        #expect(try await status("/orders") == 502)
        #expect(try await status("/catalog") == 403)

        try volume.replace(with: Self.files(rule: "GET /catalog: {public: true}"))
        #expect(await BearwardProcess.wait { gateway.count(of: "Reloaded") == 1 }, "\(gateway.standardError)")
        #expect(try await status("/orders") == 403)
        #expect(try await status("/catalog") == 502)

        try volume.replace(with: Self.files(rule: "GET /orders: {publik: true}"))
        #expect(
            await BearwardProcess.wait { gateway.count(of: "Reload refused; the running configuration stays") == 1 },
            "\(gateway.standardError)")
        #expect(try await status("/catalog") == 502)

        try volume.replace(with: Self.files(rule: "GET /orders: {public: true}"))
        #expect(await BearwardProcess.wait { gateway.count(of: "Reloaded") == 2 }, "\(gateway.standardError)")
        #expect(try await status("/orders") == 502)
        gateway.signal(SIGTERM)
        #expect(await gateway.exitStatus() == 0)
    }

    // MARK: Certificates, keys and denials

    /// Content of a volume with projected Secrets.
    private static func projected(
        _ identity: CertificateAuthority.Identity, key: SigningKey, denied: String? = nil
    ) throws -> [String: String] {
        [
            "tls.crt": try String(contentsOf: identity.certificate, encoding: .utf8),
            "tls.key": try String(contentsOf: identity.key, encoding: .utf8),
            "keys.json": SigningKey.jwkSetJSON([key]),
            "deny.jsonl": denied.map { #"{"issuer":"iss","sub":"\#($0)","expires":"2100-01-01T00:00:00Z"}\#n"# } ?? "",
        ]
    }

    @Test(.enabled(if: Interop.curl != nil && Interop.openssl != nil))
    func `a certificate, a key set and a deny list are reloaded when a volume's link changes`()
        async throws
    {
        let (authority, tokens) = (try CertificateAuthority(), ThreatTokens())
        let first = try Self.projected(try authority.issue("edge", for: ["DNS:one.example"]), key: TestKeys.rsa)
        let volume = try KubernetesVolume(first)
        defer { withExtendedLifetime(volume) {} }
        let served = try await ServedFile.start(
            """
            listen: {address: 127.0.0.1:0, tls: {certificate: \(volume.path("tls.crt")), key: \(volume.path("tls.key"))}}
            admin: 127.0.0.1:0
            access_log: none
            deny_file: \(volume.path("deny.jsonl"))
            issuers:
              iss: {issuer: "https://iss.example", jwks_file: \(volume.path("keys.json")), algorithms: [RS256], token_type: at+jwt}
            resources:
              shop:
                at: /
                audiences: [api]
                issuers: [iss]
                upstream: http://127.0.0.1:9
                rules: {GET /orders: read}

            """)
        /// Status of a request: 502 if permitted, since no upstream is there, and `000` without an answer.
        func status(_ host: String, _ token: String) async throws -> String {
            let curl = try BearwardProcess(
                program: #require(Interop.curl),
                [
                    "-s", "--cacert", authority.anchor.path, "--resolve", "\(host):\(served.port):127.0.0.1", "-o",
                    "/dev/null",
                ]
                    + [
                        "-w", "%{http_code}", "-H", "Authorization: Bearer \(token)",
                        "https://\(host):\(served.port)/orders",
                    ])
            _ = await curl.exitStatus()
            return curl.standardOutput
        }
        let good = tokens.goodText
        let other = tokens.good.signed(by: ThreatTokens.other)
        #expect(try await status("one.example", good) == "502")
        #expect(try await status("one.example", other) == "401")
        #expect(try await status("two.example", good) == "000")

        // Certificate and key change together, since separately they would not match.
        let renewed = try authority.issue("edge", for: ["DNS:two.example"])
        try volume.replace(with: Self.projected(renewed, key: TestKeys.rsa))
        #expect(
            await BearwardProcess.wait { served.gateway.count(of: "Certificates replaced") == 1 },
            "\(served.gateway.standardError)")
        #expect(try await status("two.example", good) == "502")
        #expect(try await status("one.example", good) == "000")

        try volume.replace(with: Self.projected(renewed, key: TestKeys.rsa, denied: "user-1"))
        #expect(
            try await BearwardProcess.wait { try await status("two.example", good) == "401" },
            "\(served.gateway.standardError)")
        try volume.replace(with: Self.projected(renewed, key: TestKeys.rsa))
        #expect(
            try await BearwardProcess.wait { try await status("two.example", good) == "502" },
            "\(served.gateway.standardError)")

        try volume.replace(with: Self.projected(renewed, key: ThreatTokens.other))
        #expect(
            try await BearwardProcess.wait { try await status("two.example", other) == "502" },
            "\(served.gateway.standardError)")
        #expect(try await status("two.example", good) == "401")
        #expect(served.gateway.count(of: "Certificates not reloaded") == 0)
        await served.stop()
    }

    // MARK: The file

    private static func files(rule: String) -> [String: String] { ["bearward.yaml": file(rule: rule)] }

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
            program: #require(Interop.curl),
            ["-s", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(port)\(path)"])
        #expect(await curl.exitStatus() == 0)
        return Int(curl.standardOutput)
    }
}
