import IssuerProfiles
import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Reads an issuer that says which identity system it is.
struct ProfileReader {
    let member: Value.Member
    let profile: IssuerProfile
    let waitingLimit: Int

    func read() -> NamedIssuer {
        var issuer = NamedIssuer(member: member, profile: profile)
        guard let section = section() else { return issuer }
        if let opaque = section[\.opaque], opaque.isMapping, !profile.answersIntrospection {
            opaque.reportMissing(
                "`\(profile.rawValue)` has nobody to ask about opaque tokens", hint: "leave it out: they are refused")
            return issuer
        }
        let shared = IssuerSection(section, waitingLimit: waitingLimit)
        issuer.required = shared.required
        guard let profiled = profiled(section) else {
            // Nothing comes of it, but for the problems.
            _ = shared.configured(.unreadable(member.key), keySets: [.unreadable])
            return issuer
        }
        let keySets = keySets(of: profiled, shared)
        let configured = shared.configured(
            profiled.trusted, keySets: keySets ?? [.unreadable],
            names: profiled.keySets.count > 1 ? profiled.keySets.mapped(\.name) : nil,
            endpoint: endpoint(of: profiled.trusted))
        guard keySets != nil else { return issuer }
        judgeAddresses(of: configured, shared)
        warnOfSeveralClusters(configured, shared)
        PlainHTTP.warn(section, permits: shared.permitsPlainHTTP, of: configured)
        KeySetCredentialsReader.warn(section, of: configured)
        issuer.configured = configured
        issuer.profiled = profiled
        return issuer
    }

    private func section() -> Section<IssuerKeys>? {
        let known = profile.section.keys.map(\.name)
        return Section(
            member.value, of: IssuerKeys.self, known: known,
            misplaced: MisplacedKeys(profile: profile, known: known).hint)
    }

    /// Where opaque tokens are asked about, for a system of which that is known.
    private func endpoint(of trusted: TrustedIssuer) -> HTTPURL? {
        profile == .logto ? HTTPURL(trusted.identifier + "/token/introspection") : nil
    }

    // MARK: Parameters

    private func profiled(_ section: Section<IssuerKeys>) -> ProfiledIssuer? {
        var values: [String: ParameterValue] = [:]
        var isReadable = true
        for parameter in profile.parameters {
            if let value = section[parameter: parameter.name] {
                values[parameter.name] = parameter.key.read(value)
                isReadable = isReadable && values[parameter.name] != nil
            } else if parameter.isRequired {
                section.value.reportMissing("`\(parameter.name)` is missing", hint: "write \(parameter.advice)")
            }
        }
        // Without a value that was meant to be there, the profile would complain of what is no mistake.
        guard isReadable else { return nil }
        let outcome = profile.issuer(named: member.key, values)
        for problem in outcome.problems { report(problem, section) }
        return outcome.issuer
    }

    private func report(_ problem: ProfileProblem, _ section: Section<IssuerKeys>) {
        let given = problem.parameter.flatMap { section[parameter: $0] }
        let place = given.flatMap { value in element(problem.index, of: value) } ?? given
        let missing = problem.parameter.map { member.value.path.key($0) } ?? member.value.path
        member.value.reading.report(
            Problem(
                problem.severity == .error ? .error : .warning, at: place?.node.position ?? member.value.keyPosition,
                keyPath: (place?.path ?? missing).description, message: problem.message, hint: problem.hint,
            ),
        )
    }

    private func element(_ index: Int?, of value: Value) -> Value? {
        guard let index, let elements = value.elements(), elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    // MARK: Addresses

    private func keySets(of profiled: ProfiledIssuer, _ shared: IssuerSection) -> IndexedBy<
        KeySetIndex, KeySetConfiguration
    >? {
        let reader = KeySourceReader(
            names: profiled.keySets.map(\.name), ignoresCase: profile == .azureB2C,
            permitsPlainHTTP: shared.permitsPlainHTTP,
            keyUse: profiled.keySets.first?.configuration.keyUse ?? .signatures,
        )
        return reader.read(shared.section).map { sources in
            IndexedBy(zip(profiled.keySets, sources).flatMap { $0.configuration.at($1) })
        }
    }

    /// Most clusters have the same `iss`, and only the key tells whose namespace a token means.
    private func warnOfSeveralClusters(_ issuer: ConfiguredIssuer, _ shared: IssuerSection) {
        guard profile == .kubernetes, issuer.keySets.count > 1 else { return }
        shared.section[\.jwksURI]?.warn(
            "tokens of each of these clusters are taken for the same: a namespace of one is that of all",
            hint: "give each cluster an `iss` of its own (`--service-account-issuer`), and write an issuer for each")
    }

    /// What a profile makes of a parameter is as exposed as the parameter.
    private func judgeAddresses(of issuer: ConfiguredIssuer, _ shared: IssuerSection) {
        guard !shared.permitsPlainHTTP, PlainHTTP.isUsed(by: issuer) else { return }
        let texts = profile.parameters.filter { [.text, .texts].contains($0.form) }
        let written = texts.flatMap { shared.section[parameter: $0.name]?.elements() ?? [] }
        let plain = written.filter { $0.text().map(PlainHTTP.isPlainAbroad) ?? false }
        for value in plain { value.report(PlainHTTP.message, hint: PlainHTTP.hint) }
        if plain.isEmpty { member.reportKey(PlainHTTP.message, hint: PlainHTTP.hint) }
    }
}

extension TrustedIssuer {
    /// Stands in for an issuer with mistakes while the rest of its section is read.
    static func unreadable(_ name: String) -> TrustedIssuer {
        TrustedIssuer(name: name, identifier: "", algorithms: [.rs256, .es256], tokenType: .accessTokenJWT)
    }
}

extension KeySetConfiguration {
    /// The same at each of the sources that the file names; at its own if there are none.
    func at(_ sources: [KeySetSource]) -> [KeySetConfiguration] {
        guard !sources.isEmpty else { return [self] }
        return sources.map { source in
            var configuration = self
            configuration.source = source
            // What a profile knows is for the address that it knows.
            (configuration.caFile, configuration.credentials) = (nil, nil)
            // Keys are kept because the platform's servers do not agree; a key taken out of the operator's own file is
            // meant to be gone.
            if case .file = source { configuration.retention = .zero }
            return configuration
        }
    }

    /// Stands in for key sets that could not be read: there may well be metadata.
    fileprivate static let unreadable = KeySetConfiguration(source: .discovery(issuer: ""), issuer: "")
}
