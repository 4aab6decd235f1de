import Foundation

/// Creates certificates with the `openssl` command, all from one authority, in a temporary directory.
public final class CertificateAuthority: Sendable {
    private let folder: TemporaryFolder
    public var directory: URL { folder.url }

    /// Trust anchor of the certificates.
    public var anchor: URL { file("ca.pem") }

    public init(named name: String = "Bearward tests") throws {
        folder = try TemporaryFolder()
        try run(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
                + ["-subj", "/CN=\(name)", "-keyout", "ca.key", "-out", "ca.pem"])
    }

    /// Files of one certificate. They exist as long as this value or the authority does.
    public struct Identity: Sendable {
        public let certificate: URL
        public let key: URL
        fileprivate let folder: TemporaryFolder
    }

    /// - Parameters:
    ///   - name: name of the files; existing ones are replaced.
    ///   - names: subject alternative names as in OpenSSL: `DNS:localhost`, `IP:127.0.0.1`.
    @discardableResult
    public func issue(_ name: String, for names: [String] = ["DNS:localhost", "IP:127.0.0.1"]) throws -> Identity {
        try "subjectAltName=\(names.joined(separator: ","))\n".write(
            to: file("\(name).ext"), atomically: true, encoding: .utf8)
        try run(
            ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)"]
                + ["-keyout", "\(name).key.new", "-out", "\(name).csr"])
        try run(
            ["x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "30"]
                + ["-extfile", "\(name).ext", "-out", "\(name).pem.new"])
        let identity = Identity(certificate: file("\(name).pem"), key: file("\(name).key"), folder: folder)
        // Each file is replaced atomically, as certificate renewal should do.
        for target in [identity.certificate, identity.key] {
            guard unsafe rename(target.path + ".new", target.path) == 0 else {
                throw Failure(command: "rename", output: target.path)
            }
        }
        return identity
    }

    public struct Failure: Error {
        let command: String
        let output: String
    }

    private func file(_ name: String) -> URL { directory.appendingPathComponent(name) }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = directory
        let output = Pipe()
        process.standardError = output
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(command: arguments.joined(separator: " "), output: text)
        }
    }
}
