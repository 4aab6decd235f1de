import NetworkNames
import ProxySettings

/// Reads `upstream_tls`. There is no key that takes verification away.
struct UpstreamSecurityReader {
    private static let keys = ["ca_file", "server_name", "certificate", "key", "minimum_version", "protocols"]

    /// What operators of other proxies look for.
    private static let switches: Set<String> = [
        "insecure", "insecure_skip_verify", "skip_verify", "verify", "verification", "verify_certificate", "tls_verify", "ssl_verify",
    ]

    static func read(_ value: Value) -> TargetSecurity? {
        let hint = "an upstream's certificate is always verified; for one of your own authority write `ca_file: ./ca.pem`"
        guard let section = Section(value, keys: keys, misplaced: { switches.contains($0) ? hint : nil }) else { return nil }
        let caFile = section["ca_file"].map { $0.certificateFile() }
        let name = section["server_name"].map(serverName)
        let floor = section["minimum_version"].map { $0.word(TLSFloor.self) } ?? .tls12
        let hasIdentity = section["certificate"] != nil || section["key"] != nil
        let identity = hasIdentity ? TLSFilesReader.identity(section) : nil
        let protocols = section["protocols"].map { ListenersReader.protocols($0, isSecure: true) } ?? .both
        // What stands there and cannot be read is not as if it were not there.
        if let caFile, caFile == nil { return nil }
        if let name, name == nil { return nil }
        guard let floor, let protocols, !hasIdentity || identity != nil else { return nil }
        return TargetSecurity(caFile: caFile ?? nil, identity: identity, serverName: name ?? nil, floor: floor, protocols: protocols)
    }

    private static func serverName(_ value: Value) -> String? {
        guard let text = value.someText(expected: "a name such as `api.internal`") else { return nil }
        guard let address = ListenAddress(text + ":443"), IPAddress(address.host) == nil, address.host == text.lowercased() else {
            value.report("`\(text)` is not a DNS name", hint: "write the name that the upstream's certificate is for")
            return nil
        }
        return address.host
    }
}
