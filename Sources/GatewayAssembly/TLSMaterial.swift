import ConfigurationFile
import KeySetFetching
import ProxySettings
import ReverseProxy
import TransportSecurity

/// Reads the certificates, keys and CA files of listeners and upstreams.
enum TLSMaterial {
    static func security(of listener: ConfiguredTermination) async throws(TLSMaterialFailure) -> ListenerSecurity {
        var identities: [TLSIdentity] = []
        for files in listener.identities { identities.append(try await identity(files)) }
        var clients: ClientCertificates?
        if let path = listener.clientCAFile {
            clients = ClientCertificates(
                anchors: try await anchors(path), areRequired: listener.requiresClientCertificate)
        }
        do {
            return try ListenerSecurity(
                identities: identities, clients: clients, floor: listener.floor, protocols: listener.protocols.names)
        } catch {
            throw TLSMaterialFailure(path: listener.identities.first?.certificate ?? "", reason: error.reason)
        }
    }

    static func security(of target: TargetSecurity) async throws(TLSMaterialFailure) -> UpstreamSecurity {
        var anchors: TrustAnchors?
        if let path = target.caFile { anchors = try await Self.anchors(path) }
        var identity: TLSIdentity?
        if let files = target.identity { identity = try await Self.identity(files) }
        do {
            return try UpstreamSecurity(
                anchors: anchors, identity: identity, floor: target.floor, protocols: target.protocols.names)
        } catch {
            throw TLSMaterialFailure(path: target.files.first ?? "upstream_tls", reason: error.cause)
        }
    }

    private static func identity(_ files: IdentityFiles) async throws(TLSMaterialFailure) -> TLSIdentity {
        let certificate = try await read(files.certificate)
        let key = try await read(files.key)
        do {
            return try TLSIdentity(certificate: certificate, key: key)
        } catch {
            throw TLSMaterialFailure(
                path: error == .noCertificate ? files.certificate : files.key, reason: reason(error))
        }
    }

    private static func anchors(_ path: String) async throws(TLSMaterialFailure) -> TrustAnchors {
        guard let anchors = TrustAnchors(pem: try await read(path)) else {
            throw TLSMaterialFailure(path: path, reason: "it holds no PEM certificate")
        }
        return anchors
    }

    private static func read(_ path: String) async throws(TLSMaterialFailure) -> [UInt8] {
        do {
            return try await WatchedFile(path: path).read(limit: IdentityFiles.longest)
        } catch {
            throw TLSMaterialFailure(path: path, reason: error.reason)
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

extension ListenerProtocols {
    /// ALPN names of the protocols, the preferred one first.
    fileprivate var names: [String] {
        switch self {
        case .http1: ["http/1.1"]
        case .http2: ["h2"]
        case .both: ["h2", "http/1.1"]
        }
    }
}

/// Reason why a certificate, key or CA file of a listener or an upstream cannot be loaded. Dates are not checked: an
/// expired certificate is loaded.
struct TLSMaterialFailure: Error, Sendable, Hashable, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String { "\(path): \(reason)" }
}
