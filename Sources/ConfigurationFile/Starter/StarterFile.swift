import AccessControl
import IssuerProfiles
import JOSE

/// First configuration file of an operator: one issuer, one protected API, and a sentence about each key.
public struct StarterFile: Sendable {
    public enum Issuer: Sendable {
        /// Issuer with a profile. The parameters are written in the order of the profile.
        case profile(IssuerProfile, parameters: [String: String])
        /// Issuer without a profile.
        ///
        /// - Parameter algorithms: algorithms of its keys. Empty for the defaults.
        case generic(url: String, algorithms: [SignatureAlgorithm])
    }

    /// Client credentials for introspection of opaque tokens.
    public struct Introspection: Sendable {
        public let clientID: String
        public let secretFile: String

        public init(clientID: String, secretFile: String) {
            self.clientID = clientID
            self.secretFile = secretFile
        }
    }

    public var issuer: Issuer
    /// Resource identifier of the API.
    public var api: String
    public var upstream: String
    /// Audiences of the tokens. Empty if the resource identifier is the audience, or if the issuer's profile knows it.
    public var audiences: [String] = []
    /// Scopes of the rules. With one scope, every request needs it. With several, GET needs the first, and every other
    /// method all the rest.
    public var scopes: [String] = []
    /// Nil if opaque tokens are refused.
    public var introspection: Introspection?
    /// True to listen on every address, because a published port of a container never reaches its loopback address.
    public var isForContainer = false

    public init(issuer: Issuer, api: String, upstream: String) {
        self.issuer = issuer
        self.api = api
        self.upstream = upstream
    }

    /// Address of the development upstream, which is also usual in first trials.
    public static let usualUpstream = "http://127.0.0.1:9000"

    /// Text of the file. All given texts are quoted and not checked here; `Configuration.load` checks them.
    public var text: String {
        var lines = [
            "# Check it with `bearward check --online`. docs/configuration.md and `bearward schema` list every key.",
            "",
        ]
        lines += commented(FileKeys().listen, listen.hasPrefix("[") ? Self.quoted(listen) : listen)
        lines += [""] + adminLines
        lines += ["", "issuers:", "  \(issuerName):"] + issuerLines.map(Self.indented(by: 4))
        lines += [
            "", "resources:",
            "  # The resource identifier: the audience of the tokens, and by default the place of the API.",
        ]
        lines += ["  \(Self.quoted(api)):"] + resourceLines.map(Self.indented(by: 4))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Address of the listener. It has the port of the API's URL, since on another port all requests would be 404. Port
    /// 443 is not used, because the file has no TLS.
    private var listen: String {
        let place = try? PlacePattern(resourceIdentifier: api)
        let port = place?.port.flatMap { $0 == 443 ? nil : $0 }
        let address = isForContainer ? "0.0.0.0" : port.flatMap { _ in place?.loopbackAddress } ?? "127.0.0.1"
        return "\(address):\(port ?? 8080)"
    }

    /// Port of the admin listener. It avoids the usual port if the API uses that one.
    private var adminPort: Int { listen.hasSuffix(":9901") ? 9902 : 9901 }

    private var adminLines: [String] {
        let keys = FileKeys()
        let deny = "# To deny tokens while the gateway runs (`bearward deny`), it also needs a token"
        guard !isForContainer else {
            let networks = "[10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16]"
            return commented(keys.admin, "{address: \"0.0.0.0:\(adminPort)\", allow: \(networks)}")
                + ["\(deny): token_file: /etc/bearward/admin-token", ""]
                + commented(keys.stateDirectory, "/var/lib/bearward")
        }
        let address = "127.0.0.1:\(adminPort)"
        return commented(keys.admin, address) + [
            "\(deny) and a directory:",
            "# admin: {address: \(address), token_file: ./admin-token}",
            "# state_directory: ./state",
        ]
    }

    /// Comment with the places of the API on this machine. Empty if the API's URL is one of them, or no URL.
    private var trialLines: [String] {
        guard let place = try? PlacePattern(resourceIdentifier: api), place.loopbackAddress == nil,
            let own = api.firstRange(of: "://").map({ String(api[$0.upperBound...]) }),
            own.utf8.allSatisfy({ $0 < 0x80 })  // A comment ends at a line separator (U+2028).
        else { return [] }
        let places = [own, "127.0.0.1" + place.path, "localhost" + place.path]
        return [
            "# For trials on this machine, where the API's host name resolves to another address:",
            "# at: \(Self.list(places))",
        ]
    }

    private var issuerName: String {
        switch issuer {
        case .profile(let profile, _): profile.rawValue
        case .generic: "main"
        }
    }

    private var issuerLines: [String] { identityLines + opaqueLines }

    private var opaqueLines: [String] {
        guard let introspection else { return [] }
        let client = "client_id: \(Self.quoted(introspection.clientID))"
        let secret = "client_secret_file: \(Self.quoted(introspection.secretFile))"
        return commented(IssuerKeys().opaque, "{introspect: {\(client), \(secret)}}")
    }

    private var identityLines: [String] {
        switch issuer {
        case .profile(let profile, let parameters):
            return commented(IssuerKeys().profile, profile.rawValue)
                + profile.parameters.compactMap { parameter in parameters[parameter.name].map { (parameter, $0) } }
                .flatMap { parameter, value in
                    [
                        "# \(parameter.advice.prefix(1).uppercased())\(parameter.advice.dropFirst()).",
                        "\(parameter.name): \(Self.value(value, of: parameter))",
                    ]
                }
        case .generic(let url, let algorithms):
            let keys = GenericIssuerKeys()
            let names = algorithms.map(\.rawValue).joined(separator: ", ")
            return commented(keys.issuer, Self.quoted(url)) + commented(keys.tokenType, "at+jwt")
                + (algorithms.isEmpty ? [] : commented(keys.algorithms, "[\(names)]"))
        }
    }

    private var resourceLines: [String] {
        let keys = ResourceKeys()
        return (audiences.isEmpty ? [] : commented(keys.audiences, Self.list(audiences)))
            + commented(keys.issuers, "[\(issuerName)]")
            + tokenHeaderLines + trialLines
            + commented(keys.upstream, Self.quoted(upstream))
            + commented(keys.rules, nil) + rules.map(Self.indented(by: 2))
            + commented(keys.forward, nil) + ["  identity: {subject: X-Auth-Subject, client: X-Auth-Client}"]
    }

    private var tokenHeaderLines: [String] {
        guard case .profile(let profile, _) = issuer, let header = profile.tokenHeader else { return [] }
        return commented(ResourceKeys().tokenHeader, header)
    }

    private var rules: [String] {
        guard let first = scopes.first else { return ["ANY /**: authenticated"] }
        guard scopes.count > 1 else { return ["ANY /**: \(Self.all([first]))"] }
        return ["GET /**: \(Self.all([first]))", "ANY /**: \(Self.all(Array(scopes.dropFirst())))"]
    }

    /// Requirement for all of the scopes. Scopes with a `*` are written so that they are not taken for patterns.
    private static func all(_ scopes: [String]) -> String {
        let keys = RequirementKeys()
        let key = scopes.contains { $0.utf8.contains(UInt8(ascii: "*")) } ? keys.text : keys.allOf
        return "{\(key.name): \(list(scopes))}"
    }

    // MARK: YAML

    private func commented(_ key: some SectionKey, _ value: String?) -> [String] {
        ["# \(key.reference.text)", "\(key.name):" + (value.map { " " + $0 } ?? "")]
    }

    private static func value(_ text: String, of parameter: ProfileParameter) -> String {
        switch parameter.form {
        case .texts: list(text.split(separator: ",").map { $0.trimming(while: { $0 == " " }) })
        // Only text that cannot be anything but a word is written without quotes.
        case .boolean, .duration: text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? text : quoted(text)
        case .text, .words: quoted(text)
        }
    }

    private static func list(_ texts: [String]) -> String {
        "[\(texts.map(quoted).joined(separator: ", "))]"
    }

    /// Text as a quoted YAML string: JSON strings are YAML. `$` is doubled, because it would begin an environment
    /// variable.
    private static func quoted(_ text: String) -> String {
        JSONDocument.string(text.replacing("$", with: "$$")).text.replacing("\n", with: "")
    }

    private static func indented(by count: Int) -> (String) -> String {
        { String(repeating: " ", count: count) + $0 }
    }
}

extension Substring {
    fileprivate func trimming(while isOuter: (Character) -> Bool) -> String {
        var rest = drop(while: isOuter)
        while let last = rest.last, isOuter(last) { rest.removeLast() }
        return String(rest)
    }
}
