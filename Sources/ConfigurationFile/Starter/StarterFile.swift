import AccessControl
import IssuerProfiles
import JOSE

/// A first configuration file: one issuer, one protected API, and a sentence about each key.
public struct StarterFile: Sendable {
    public enum Issuer: Sendable {
        /// Parameters in the order of the profile.
        case profile(IssuerProfile, parameters: [String: String])
        /// - Parameter algorithms: those of its keys; empty: the usual ones.
        case generic(url: String, algorithms: [SignatureAlgorithm])
    }

    private let issuer: Issuer
    /// The resource identifier.
    private let api: String
    private let upstream: String
    /// None: the identifier is the audience, or the issuer's profile knows it.
    private let audiences: [String]
    /// GET needs the first; everything else needs all others.
    private let scopes: [String]
    private let isForContainer: Bool

    /// - Parameter isForContainer: listen on every address, since a published port of a container never leads to its
    ///   loopback one.
    public init(
        issuer: Issuer, api: String, upstream: String, audiences: [String], scopes: [String],
        isForContainer: Bool = false
    ) {
        self.isForContainer = isForContainer
        self.issuer = issuer
        self.api = api
        self.upstream = upstream
        self.audiences = audiences
        self.scopes = scopes
    }

    /// Where the development upstream and most first trials are.
    public static let usualUpstream = "http://127.0.0.1:9000"

    /// The file. What was given is quoted, whatever it is; `Configuration.load` judges it.
    public var text: String {
        var lines = [
            "# Judge it with `bearward check --online`. docs/configuration.md has every key, and so has `bearward schema`.",
            "",
        ]
        lines += commented(FileKeys().listen, listen.hasPrefix("[") ? Self.quoted(listen) : listen)
        lines += [""] + commented(FileKeys().admin, admin)
        lines += ["", "issuers:", "  \(issuerName):"] + issuerLines.map(Self.indented(by: 4))
        lines += [
            "", "resources:",
            "  # The resource identifier: the audience of the tokens, and by default the place of the API.",
        ]
        lines += ["  \(Self.quoted(api)):"] + resourceLines.map(Self.indented(by: 4))
        return lines.joined(separator: "\n") + "\n"
    }

    /// At the port that the API's URL names: on any other, all of its requests would be 404. Not at that of TLS, which
    /// the file has none of.
    private var listen: String {
        let place = try? PlacePattern(resourceIdentifier: api)
        let port = place?.port.flatMap { $0 == 443 ? nil : $0 }
        let address = isForContainer ? "0.0.0.0" : port.flatMap { _ in place?.loopbackAddress } ?? "127.0.0.1"
        return "\(address):\(port ?? 8080)"
    }

    /// Beside the usual port where the API has that one.
    private var admin: String { listen.hasSuffix(":9901") ? "127.0.0.1:9902" : "127.0.0.1:9901" }

    private var issuerName: String {
        switch issuer {
        case .profile(let profile, _): profile.rawValue
        case .generic: "main"
        }
    }

    private var issuerLines: [String] {
        switch issuer {
        case .profile(let profile, let parameters):
            return commented(IssuerKeys().profile, profile.rawValue)
                + profile.parameters.compactMap { parameter in parameters[parameter.name].map { (parameter, $0) } }
                .flatMap { parameter, value in
                    ["# Write \(parameter.advice).", "\(parameter.name): \(Self.value(value, of: parameter))"]
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
            + [
                "# For trials on this machine, where the name of the API leads elsewhere:",
                "# at: [127.0.0.1, localhost]",
            ]
            + commented(keys.upstream, Self.quoted(upstream))
            + commented(keys.rules, nil) + rules.map(Self.indented(by: 2))
            + commented(keys.forward, nil) + ["  identity: {subject: X-Auth-Subject, client: X-Auth-Client}"]
    }

    private var rules: [String] {
        guard let first = scopes.first else { return ["ANY /**: authenticated"] }
        guard scopes.count > 1 else { return ["ANY /**: \(Self.all([first]))"] }
        return ["GET /**: \(Self.all([first]))", "ANY /**: \(Self.all(Array(scopes.dropFirst())))"]
    }

    /// Scopes that are all needed, and none of them a pattern.
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
        // Without quotes only what can be nothing else than a word.
        case .boolean, .duration: text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? text : quoted(text)
        case .text, .words: quoted(text)
        }
    }

    private static func list(_ texts: [String]) -> String {
        "[\(texts.map(quoted).joined(separator: ", "))]"
    }

    /// JSON strings are YAML; a dollar sign would begin a variable of the environment.
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
