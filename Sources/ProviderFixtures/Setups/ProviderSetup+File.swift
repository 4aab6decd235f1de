extension ProviderSetup {
    /// All parameters of the issuer entry, including `jwks_uri`.
    ///
    /// - Parameter keySetURL: returns the URL of a key set of the provider, by its name.
    public func parameters(keySetURL: (String) -> String) -> [SetupParameter] {
        let value: SetupValue =
            switch keySets {
            case .one(let name): .text(keySetURL(name))
            case .named(let names): .mapping(names.map { name in SetupPair(name, keySetURL(name)) })
            }
        return parameters + [SetupParameter("jwks_uri", value)]
    }

    /// Text of `issuers:` and `resources:` in a configuration file.
    ///
    /// - Parameters:
    ///   - issuer: name of the issuer in the file.
    ///   - place: path of the resource on any host, such as `/api`.
    ///   - upstream: URL that requests are forwarded to, without the place.
    ///   - keySetURL: returns the URL of a key set of the provider, by its name.
    public func yaml(issuer: String, place: String, upstream: String, keySetURL: (String) -> String) -> String {
        (["issuers:"] + issuerLines(name: issuer, keySetURL: keySetURL) + ["", "resources:"]
            + resourceLines(issuer: issuer, place: place, upstream: upstream)).joined(separator: "\n") + "\n"
    }

    /// Lines of the issuer entry, indented as below `issuers:`.
    public func issuerLines(name: String, keySetURL: (String) -> String) -> [String] {
        var lines = ["  \(name):", "    profile: \(provider.rawValue)"]
        for parameter in parameters(keySetURL: keySetURL) { lines += Self.lines(of: parameter) }
        return lines
    }

    private func resourceLines(issuer: String, place: String, upstream: String) -> [String] {
        var lines = ["  \(YAMLScalar.written(resource)):"]
        if !audiences.isEmpty, audiences != [resource] { lines.append("    audiences: \(YAMLScalar.list(audiences))") }
        lines += [
            "    at: \(YAMLScalar.list([place]))", "    issuers: \(YAMLScalar.list([issuer]))",
            "    upstream: \(upstream)",
            "    strip_prefix: true",
        ]
        if let header = provider.tokenHeader { lines.append("    token_header: \(header)") }
        lines.append("    rules:")
        return lines + rules.map { rule in "      \(rule.methods) \(rule.path): \(Self.text(of: rule.requirement))" }
    }

    private static func lines(of parameter: SetupParameter) -> [String] {
        switch parameter.value {
        case .text(let text): ["    \(parameter.name): \(YAMLScalar.written(text))"]
        case .list(let texts): ["    \(parameter.name): \(YAMLScalar.list(texts))"]
        case .boolean(let truth): ["    \(parameter.name): \(truth)"]
        case .duration(let seconds): ["    \(parameter.name): \(seconds)s"]
        case .mapping(let pairs):
            ["    \(parameter.name):"]
                + pairs.map { pair in "      \(YAMLScalar.written(pair.name)): \(YAMLScalar.written(pair.text))" }
        }
    }

    private static func text(of requirement: SetupRequirement) -> String {
        switch requirement {
        case .anyone: "{public: true}"
        case .authenticated: "authenticated"
        case .scopes(let scopes): YAMLScalar.written(scopes.joined(separator: " "))
        case .roles(let roles): "{roles: \(YAMLScalar.list(roles))}"
        case .scopesInOrganization(let scopes, let segment):
            "{all_of: \(YAMLScalar.list(scopes)), organization: \"{\(segment)}\"}"
        }
    }
}
