import ConfigurationFile
import KeySetFetching
import ReverseProxy
import TransportSecurity

/// The files of one TLS listener, and what was made of them.
struct TerminationFiles: Sendable {
    let configured: ConfiguredTermination
    let termination: TLSTermination

    /// As large as the longest chains, many times over.
    private static let limit = 1 << 20

    /// Reads all files. What is served changes only by `termination.replace`.
    init(_ configured: ConfiguredTermination) async throws(TerminationFailure) {
        self.configured = configured
        termination = TLSTermination(try await Self.load(configured))
    }

    /// Reads all files again.
    func load() async throws(TerminationFailure) -> ListenerSecurity {
        try await Self.load(configured)
    }

    private static func load(_ configured: ConfiguredTermination) async throws(TerminationFailure) -> ListenerSecurity {
        var identities: [TLSIdentity] = []
        for files in configured.identities {
            let certificate = try await read(files.certificate)
            let key = try await read(files.key)
            do {
                identities.append(try TLSIdentity(certificate: certificate, key: key))
            } catch {
                throw TerminationFailure(path: error == .noCertificate ? files.certificate : files.key, reason: reason(error))
            }
        }
        let clients = try await clients(configured)
        do {
            return try ListenerSecurity(identities: identities, clients: clients, floor: configured.floor, protocols: ["http/1.1"])
        } catch {
            throw TerminationFailure(path: configured.identities.first?.certificate ?? "", reason: "\(error)")
        }
    }

    private static func clients(_ configured: ConfiguredTermination) async throws(TerminationFailure) -> ClientCertificates? {
        guard let path = configured.clientCAFile else { return nil }
        guard let anchors = TrustAnchors(pem: try await read(path)) else {
            throw TerminationFailure(path: path, reason: "it holds no PEM certificate")
        }
        return ClientCertificates(anchors: anchors, areRequired: configured.requiresClientCertificate)
    }

    private static func read(_ path: String) async throws(TerminationFailure) -> [UInt8] {
        do {
            return try await WatchedFile(path: path).read(limit: limit)
        } catch {
            throw TerminationFailure(path: path, reason: error.reason)
        }
    }

    private static func reason(_ problem: TLSIdentityProblem) -> String {
        switch problem {
        case .noCertificate: "it holds no PEM certificate"
        case .noKey: "it holds no PEM private key"
        case .encryptedKey: "the private key is encrypted"
        case .keyOfAnotherCertificate: "the private key does not belong to the certificate"
        }
    }
}

/// Why the certificates of a listener cannot be used.
struct TerminationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String { "\(path): \(reason)" }
}
