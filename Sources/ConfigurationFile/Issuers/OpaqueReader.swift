import KeySets
import NetworkNames
import TokenIntrospection
import TokenVerification

/// Reads `opaque`: whether opaque tokens are rejected or introspected.
struct OpaqueReader {
    struct Introspection {
        let rule: OpaqueTokenRule
        let configuration: ConfiguredIntrospection
        let place: IntrospectionPlace
    }

    static let forms = "`reject`, or {introspect: {client_id: …, client_secret_file: …, clients: […]}}"
    /// Longest client secret, in bytes. A longer text cannot be a secret.
    private static let longestSecret = 4096

    let permitsPlainHTTP: Bool
    let caFile: String?
    /// Introspection endpoint to use if the file names none. Nil if the file must name it.
    let endpoint: IntrospectionEndpoint?

    /// Reads the introspection. Nil if opaque tokens are rejected, or if something is invalid.
    func read(_ value: Value) -> Introspection? {
        guard value.isMapping else {
            guard let text = value.text(expected: Self.forms), text != "reject" else { return nil }
            return value.refuse("`\(text)` is not known here", hint: "write \(Self.forms)")
        }
        guard let introspect = Section(value, of: OpaqueKeys.self)?.required(\.introspect) else { return nil }
        return Section(introspect, of: IntrospectionKeys.self).flatMap(introspection)
    }

    private func introspection(_ section: Section<IntrospectionKeys>) -> Introspection? {
        let clientID = section.required(\.clientID)
        let secretFile = section.required(\.clientSecretFile)
        let endpoint = endpoint(section)
        let clients = clients(section)
        let cacheLimit = section.read(\.cache).value ?? IntrospectionConfiguration.usualCacheLimit
        guard let clientID, let secretFile, let endpoint, let place = Self.place(of: section) else { return nil }
        let configuration = ConfiguredIntrospection(
            clientID: clientID, clientSecretFile: secretFile, endpoint: endpoint, caFile: caFile,
            allowsPlainHTTP: permitsPlainHTTP, cacheLimit: cacheLimit)
        return Introspection(
            rule: OpaqueTokenRule(clients: clients), configuration: configuration, place: place)
    }

    private static func place(of section: Section<IntrospectionKeys>) -> IntrospectionPlace? {
        guard let clientID = section[\.clientID], let secretFile = section[\.clientSecretFile] else { return nil }
        return IntrospectionPlace(
            section: section.value.filePlace, clientID: clientID.filePlace, clientSecretFile: secretFile.filePlace)
    }

    private func endpoint(_ section: Section<IntrospectionKeys>) -> IntrospectionEndpoint? {
        if section[\.endpoint] == nil, let endpoint { return endpoint }
        guard let text = section.required(\.endpoint)?.documentURL(permitsPlainHTTP: permitsPlainHTTP) else {
            return nil
        }
        return HTTPURL(text).map { .configured($0) }
    }

    private func clients(_ section: Section<IntrospectionKeys>) -> [String] {
        let clients = section.read(\.clients).value ?? []
        if clients.isEmpty, section[\.clients]?.isUnusable != true {
            section.value.warnPlace(
                "names no `clients`: answers without an audience are refused",
                hint: "list the apps whose tokens are meant")
        }
        return clients
    }

    /// Checks the file with the client secret, and returns its path. The secret itself is read when it is needed, and
    /// again when the file changes. Nil after an error, which is reported.
    static func secretFile(_ value: Value) -> String? {
        guard let path = value.someText(expected: "a path"), let file = value.secretFile(path, longest: longestSecret)
        else { return nil }
        if let fault = fault(in: file.bytes) {
            return value.refuse("`\(path)` \(fault)", hint: "write the client's secret into it, and nothing else")
        }
        return value.reading.resolve(path)
    }

    private static func fault(in secret: [UInt8]) -> String? {
        if secret.allSatisfy({ $0 <= 0x20 }) { return "is empty" }
        return secret.count > longestSecret ? "is longer than \(longestSecret) bytes" : nil
    }
}
