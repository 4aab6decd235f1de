import ConfigurationFile
import Foundation
import TestSupport
import Testing

/// Agreement of the reference of keys with the reader.
struct ConfigurationReferenceTests {
    struct KeyPlace: Sendable, CustomTestStringConvertible {
        let section: SectionReference
        let key: NamedKey

        var testDescription: String { "\(section.title): \(key.name)" }
    }

    static let places = ConfigurationReference.sections.flatMap { section in
        section.keys.map { KeyPlace(section: section, key: $0) }
    }

    /// Keys that some keys need beside them, or that replace a required key.
    private static let companions: [String: [String: String]] = [
        "certificate": ["key": "./server.key"], "key": ["certificate": "./server.pem"], "key_file": ["subject": "hash"],
        "client_ca": ["client_certificate": "optional"], "client_certificate": ["client_ca": "./clients.pem"],
        "allowed_tenants": ["tenant": "organizations"], "upstream_tls": ["upstream": "\"https://127.0.0.1:9000\""],
        "any_tenant": ["tenant": "organizations"], "user": ["password_file": "./redis-password"],
        "targets": ["balance": "round_robin"],
    ]

    @Test(arguments: places)
    func `the documented example of each key is accepted`(_ place: KeyPlace) throws {
        let folder = try Self.folder()
        let file = Self.file(place.section, place.key.name, place.key.reference.example)
        let problems = folder.load(file).problems.filter { $0.severity == .error }.map { $0.rendered(file: "FILE") }
        #expect(problems == [], "\(file)")
    }

    private static let placesWithDefault = places.compactMap { place -> (KeyPlace, String)? in
        if case .value(let value) = place.key.reference.absence { (place, value) } else { nil }
    }

    @Test func `more than 40 keys have a default`() {
        #expect(Self.placesWithDefault.count > 40)
    }

    @Test(arguments: placesWithDefault)
    func `a key written with its default has the same effect as an absent key`(_ place: KeyPlace, _ value: String)
        throws
    {
        let folder = try Self.folder()
        let written = try Self.members(of: folder.load(Self.file(place.section, place.key.name, value, isAlone: true)))
        let absent = try Self.members(of: folder.load(Self.file(place.section, place.key.name, nil, isAlone: true)))
        #expect(written == absent)
        // Settings that are not in the file are read too, so a difference would be noticed.
        #expect(absent.count > 10)
    }

    @Test(arguments: places)
    func `a key is required exactly if the reference says so`(_ place: KeyPlace) throws {
        let folder = try Self.folder()
        let problems = folder.load(Self.file(place.section, place.key.name, nil, isAlone: true)).problems
        let isMissing = problems.contains { $0.message == "`\(place.key.name)` is missing" }
        switch place.key.reference.absence {
        case .refused: #expect(isMissing || place.key.name == "profile")
        case .refusedUnless: break
        case .value, .meaning: #expect(!isMissing)
        }
    }

    @Test func `each JSON schema has its own identifier`() {
        let identifiers = [JSONSchema(), JSONSchema.ofTests].map { schema in
            schema.text.split(separator: "\n").filter { $0.hasPrefix("  \"$id\": \"https://bearward.invalid/schema/") }
        }
        #expect(identifiers.map(\.count) == [1, 1])
        #expect(identifiers.first != identifiers.last)
    }

    @Test func `every section that a key leads to is in the reference`() {
        let shown = Set(ConfigurationReference.sections.map(\.title))
        let named = Set(Self.places.flatMap { Self.sections(in: $0.key.reference.form) }.map(\.title))
        #expect(named.subtracting(shown) == [])
        #expect(named.count > 15)
    }

    private static func sections(in form: ValueForm) -> [SectionReference] {
        switch form {
        case .section(let section): [section]
        case .tagged(_, let sections): sections.map(\.section)
        case .list(let element, _), .listAlone(let element): Self.sections(in: element)
        case .mapping(_, let value): Self.sections(in: value)
        case .oneOf(let forms): forms.flatMap { Self.sections(in: $0) }
        case .text, .pattern, .words, .boolean, .integer, .duration, .size, .claimValue, .anything: []
        }
    }

    // MARK: Files

    private static func folder() throws -> FolderOfSecrets {
        try FolderOfSecrets([
            ("server.pem", SampleCertificates.localhost), ("server.key", SampleCertificates.privateKey),
            ("ca.pem", SampleCertificates.trustAnchor), ("clients.pem", SampleCertificates.trustAnchor),
            ("secret", "xyzzy"),
            ("keys.token", "xyzzy"),
            ("client.pem", SampleCertificates.localhost), ("client.key", SampleCertificates.privateKey),
            ("admin-token", "0123456789abcdef"), ("deny.jsonl", ""),
            ("redact-key", "0123456789abcdef0123456789abcdef"), ("quota-secret", "0123456789abcdef"),
            ("redis-password", "xyzzy"), ("otel-headers", "Authorization: Bearer xyzzy"),
        ])
    }

    /// A minimal file with the key set. Without a value the key is absent.
    private static func file(_ section: SectionReference, _ key: String, _ value: String?, isAlone: Bool = false)
        -> String
    {
        var members: [String: String] = [:]
        for other in section.keys {
            switch other.reference.absence {
            case .refused, .refusedUnless: members[other.name] = other.reference.example
            case .value, .meaning: break
            }
        }
        if !isAlone { members.merge(companions[key] ?? [:]) { _, companion in companion } }
        // An issuer has a client certificate of its own.
        if section.title != "tls", key == "client_certificate" { members["client_ca"] = nil }
        members[key] = value
        // The name precedes the token in the subprotocols.
        if section.title == "websocket", key == "name" { members["token"] = "subprotocol" }
        // A key in PEM does not name its algorithm, and a profile knows it.
        if key == "keys", value != nil, ["issuers", "Issuers without a profile"].contains(section.title) {
            members["algorithms"] = "[ES256]"
        }
        // Realms are for an address with the placeholder, and a bound is for a pattern of names.
        if ["realms", "most"].contains(key), value != nil, section.keys.contains(where: { $0.name == "realms" }) {
            members[section.title == "profile: keycloak" ? "realm_url" : "issuer"] =
                "\"https://id.example.com/realms/{realm}\""
            if key == "most" { members["realms"] = "{glob: \"cust-*\"}" }
        }
        // Only one of the two keys may be set.
        if section.title == "health", key == "grpc", value != nil { members["path"] = nil }
        if section.title == "hash", key == "claim", value != nil { members["header"] = nil }
        if section.title == "targets", key == "dns", value != nil { members["url"] = nil }
        // Something has to be exported.
        if section.title == "telemetry", members["traces"] == nil, members["metrics"] == nil {
            members[key == "traces" ? "metrics" : "traces"] = key == "traces" ? "{every: 1m}" : "{sample: 2%}"
        }
        if section.title == "issuers", key == "profile" {
            members["endpoint"] = value.map { _ in "\"https://auth.example.com\"" }
        }
        if section.title == "issuers", key != "profile" { members.merge(generic) { first, _ in first } }
        return file(section.title, members)
    }

    private static let generic = ["issuer": "https://id.example.com", "token_type": "at+jwt"]

    private static func file(_ title: String, _ members: [String: String]) -> String {
        let text =
            "{" + members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
        let tls = { "[{address: \"127.0.0.1:8443\", tls: \($0 as String)}]" }
        return switch title {
        case "The file": lines(members)
        case "listen": whole(["listen": "[\(text)]"])
        case "proxy_protocol": whole(["listen": "[{address: \"127.0.0.1:8443\", proxy_protocol: \(text)}]"])
        case "Wide ranges": whole(["trusted_proxies": "[\(text)]"])
        case "tls": whole(["listen": tls(text)])
        case "certificates": whole(["listen": tls("{certificates: [\(text)]}")])
        case "admin", "limits", "timeouts", "access_log", "redact", "log", "shared_state": whole([title: text])
        case "telemetry": whole([title: text])
        case "otlp": whole(["telemetry": "{otlp: \(text), traces: {sample: 2%}}"])
        case "traces", "metrics":
            whole(["telemetry": "{otlp: {endpoint: \"http://127.0.0.1:4318\"}, \(title): \(text)}"])
        case "doors": whole(["doors": "[\(text)]"])
        case "quotas": whole([title: "{per-user: \(text)}"])
        case "by": whole(["quotas": "{per-user: {requests: 1, per: 1s, by: \(text)}}"])
        case "keys":
            whole(
                issuer: "{issuer: urn:a, token_type: at+jwt, algorithms: [ES256], keys: [\(text)]}")
        case "realms":
            whole(issuer: "{issuer: \"https://id.example.com/{realm}\", token_type: at+jwt, realms: \(text)}")
        case "token_type": whole(issuer: "{issuer: \"https://id.example.com\", token_type: \(text)}")
        case "require", "opaque", "refresh", "without_audience":
            whole(issuer: "{issuer: \"https://id.example.com\", token_type: at+jwt, \(title): \(text)}")
        case "introspect":
            whole(issuer: "{issuer: \"https://id.example.com\", token_type: at+jwt, opaque: {introspect: \(text)}}")
        case "resources": whole(["resources": "{\"https://api.example.com\": \(text)}"])
        case "Requirements": whole(resource: "rules: {ANY /**: \(text)}")
        case "not": whole(resource: "rules: {ANY /**: {not: \(text)}}")
        case "token_header": whole(resource: "rules: {ANY /**: authenticated}, token_header: \(text)")
        case "Forwarded claims":
            whole(resource: "rules: {ANY /**: authenticated}, forward: {claims: {groups: \(text)}}")
        case "Patterns": whole(resource: "rules: {ANY /**: {claims: {repository: \(text)}}}")
        case "Texts": whole(resource: "rules: {ANY /**: {roles: \(text)}}")
        case "scopes": whole(resource: "rules: {ANY /**: orders:read}, scopes: {\"orders:write\": \(text)}")
        case "upstream": whole(upstream: members.isEmpty ? "{balance: round_robin}" : text)
        case "targets": whole(upstream: "{targets: [\(text)]}")
        case "hash": whole(upstream: "{targets: [http://127.0.0.1:9000], balance: {hash: \(text)}}")
        case "health" where text.contains("grpc:"):
            whole(upstream: "{targets: [h2c://127.0.0.1:9000], \(title): \(text)}")
        case "health", "eject", "retries", "connections":
            whole(upstream: "{targets: [http://127.0.0.1:9000], \(title): \(text)}")
        case "upstream_tls", "forward", "cors", "websocket", "maintenance", "response":
            whole(resource: "rules: {ANY /**: authenticated}, \(title): \(text)")
        case "Resource limits": whole(resource: "rules: {ANY /**: authenticated}, limits: \(text)")
        case "Resource timeouts": whole(resource: "rules: {ANY /**: authenticated}, timeouts: \(text)")
        case "mode": whole(resource: "rules: {ANY /**: authenticated}, mode: \(text)")
        case "observe": whole(resource: "rules: {ANY /**: authenticated}, mode: {observe: \(text)}")
        case "identity": whole(resource: "rules: {ANY /**: authenticated}, forward: {identity: \(text)}")
        default: whole(issuer: text)
        }
    }

    private static func whole(upstream: String) -> String {
        whole([
            "resources":
                "{\"https://api.example.com\": {issuers: logto, upstream: \(upstream), rules: {ANY /**: authenticated}}}"
        ])
    }

    private static func whole(resource: String) -> String {
        whole([
            "resources":
                "{\"https://api.example.com\": {issuers: logto, upstream: \"https://127.0.0.1:9000\", \(resource)}}"
        ])
    }

    /// A file with one issuer. Its only rule is public and it names no audiences, because no audience fits every
    /// profile.
    private static func whole(issuer: String) -> String {
        let resource =
            "{\"https://api.example.com\": {upstream: \"http://127.0.0.1:9000\", rules: {ANY /**: {public: true}}}}"
        return whole(["issuers": "{logto: \(issuer)}", "resources": resource])
    }

    private static func whole(_ members: [String: String]) -> String {
        let resource =
            "{\"https://api.example.com\": {issuers: logto, upstream: \"http://127.0.0.1:9000\", rules: {ANY /**: authenticated}}}"
        return lines(members.merging(["resources": resource]) { given, _ in given })
    }

    private static func lines(_ members: [String: String]) -> String {
        var top = members
        if top["issuers"] == nil {
            top["issuers"] = "{logto: {issuer: \"https://id.example.com\", token_type: at+jwt}}"
        }
        if top["policies"] == nil { top["policies"] = "{staff: {claims: {department: sales}}}" }
        if top["quotas"] == nil {
            top["quotas"] = "{per-user: {requests: 1, per: 1s}, partner: {requests: 1, per: 1s}}"
        }
        return top.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }.joined()
    }

    /// Members of a configuration without the digest of its text and without locations in it.
    private static func members(of result: LoadResult<Configuration>) throws -> [String] {
        guard case .success(let configuration, _) = result else {
            Issue.record("\(result.problems.map { $0.rendered(file: "FILE") })")
            return []
        }
        let issuers = configuration.issuers.map {
            "\($0.trusted) \($0.keySets) \(String(describing: $0.introspection))"
        }
        let rules = configuration.resources.map { $0.rules.map(\.name) }
        return issuers + ["\(configuration.protectedResources)", "\(rules)"]
            + Mirror(reflecting: configuration).children
            .filter { !["digest", "fileDigest", "issuers", "resources", "targets"].contains($0.label) }
            .map { "\($0.label ?? ""): \($0.value)" }
    }
}
