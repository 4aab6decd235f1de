import DevelopmentIssuer
import Foundation
import TestSupport

/// An issuer and the real `bearward serve` with TLS, between the clients and upstreams of a test.
struct EdgeFixture {
    let issuer: AuthorizationServer
    let authority: CertificateAuthority
    let gateway: ServedFile
    let text: String

    static let audience = GatewayFixture.audience

    /// Starts the issuer and the gateway.
    ///
    /// - Parameters:
    ///   - listener: keys beside the address; `@certificate`, `@key` and `@anchor` are replaced by paths.
    ///   - upstream: value of `upstream`.
    ///   - resourceLines: further keys of the resource, indented by four.
    ///   - forwardLines: further keys of its `forward`, indented by six.
    static func start(
        listener: String = "tls: {certificate: @certificate, key: @key}", upstream: String,
        rules: String = GatewayFixture.rules,
        resourceLines: String = "", forwardLines: String = "", topLines: String = "",
        authority: CertificateAuthority? = nil,
    ) async throws -> EdgeFixture {
        let issuer = try await AuthorizationServer.start(on: .anyLoopback, algorithm: .rs256)
        let authority = try authority ?? CertificateAuthority()
        let identity = try authority.issue("edge")
        let paths = [
            "@certificate": identity.certificate.path, "@key": identity.key.path, "@anchor": authority.anchor.path,
        ]
        let timeouts = topLines.contains("timeouts:") ? "" : GatewayFixture.shortDrain
        var text = GatewayFixture.text(issuer: issuer.issuer, upstream: upstream, rules: rules)
            .replacing(
                "listen: 127.0.0.1:0", with: "listen: {address: 127.0.0.1:0, \(listener)}\n\(topLines)\(timeouts)"
            )
            .replacing("    strip_prefix: true\n", with: "    strip_prefix: true\n\(resourceLines)")
            .replacing("    forward:\n", with: "    forward:\n\(forwardLines)")
        for (name, path) in paths { text = text.replacing(name, with: path) }
        return EdgeFixture(issuer: issuer, authority: authority, gateway: try await ServedFile.start(text), text: text)
    }

    var port: Int { gateway.port }
    var base: String { "https://localhost:\(port)" }

    func token(scopes: [String] = ["shopping:read"], lifetime: Duration = .seconds(600)) throws -> String {
        try issuer.mint(
            TokenRequest(
                client: "app-1", subject: "user-1", audiences: [Self.audience], scopes: scopes, lifetime: lifetime))
    }

    /// Runs curl, which trusts only the test authority. Returns its output and exit status.
    func curl(_ arguments: [String]) async throws -> (output: String, errors: String, status: Int32?) {
        let curl = try BearwardProcess(
            program: URL(fileURLWithPath: "/usr/bin/curl"),
            ["-sS", "--max-time", "20", "--cacert", authority.anchor.path] + arguments)
        let status = await curl.exitStatus()
        return (curl.standardOutput, curl.standardError, status)
    }

    func stop() async {
        await gateway.stop()
        await issuer.stop()
    }
}
