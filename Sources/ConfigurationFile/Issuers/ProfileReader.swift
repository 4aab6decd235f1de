import IssuerProfiles
import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Reads an issuer with a `profile`, which names its identity system.
struct ProfileReader {
    let member: Value.Member
    let profile: IssuerProfile
    let waitingLimit: Int

    func read() -> NamedIssuer {
        var issuer = NamedIssuer(member: member, profile: profile)
        guard let section = section() else { return issuer }
        if let opaque = section[\.opaque], opaque.isMapping, !profile.answersIntrospection {
            opaque.reportMissing(
                "`\(profile.rawValue)` has no introspection endpoint", hint: "leave it out: they are refused")
            return issuer
        }
        let shared = IssuerSection(section, waitingLimit: waitingLimit)
        issuer.required = shared.required
        guard let profiled = profiled(section) else {
            // The result is not used; this call only reports further problems.
            _ = shared.configured(.unreadable(member.key), keySets: [.unreadable])
            return issuer
        }
        let keySets = keySets(of: profiled, shared)
        let configured = shared.configured(
            profiled.trusted, keySets: keySets ?? [.unreadable],
            names: profiled.keySets.count > 1 ? profiled.keySets.mapped(\.name) : nil,
            endpoint: endpoint(of: profiled.trusted))
        guard keySets != nil else { return issuer }
        judgePlaceOfKeys(shared)
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

    /// Introspection endpoint, for profiles whose endpoint is fixed. Nil for all others.
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
        // A parameter that is present but invalid would make the profile report misleading problems.
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
            algorithms: profiled.trusted.algorithms,
        )
        return reader.read(shared.section).map { sources in
            IndexedBy(zip(profiled.keySets, sources).flatMap { $0.configuration.at($1) })
        }
    }

    /// Reports a place of single keys that another source of keys replaces.
    private func judgePlaceOfKeys(_ shared: IssuerSection) {
        guard profile == .awsALB, shared.namesKeys, let value = shared.section[parameter: "keys_url"] else { return }
        let names = [shared.section[\.jwksURI], shared.section[\.jwksFile], shared.section[\.pemKeys]]
        let name = names.compactMap { $0?.path.key }.first ?? "jwks_uri"
        value.report("`\(name)` says already where the keys are", hint: "keep one")
    }

    /// Warns if several clusters are trusted as one issuer. Most clusters have the same `iss`, so only the key tells
    /// whose namespace a token means.
    private func warnOfSeveralClusters(_ issuer: ConfiguredIssuer, _ shared: IssuerSection) {
        guard profile == .kubernetes, issuer.keySets.count > 1 else { return }
        shared.section[\.jwksURI]?.warn(
            "these clusters are trusted as one: the same namespace of any of them counts as the same",
            hint: "give each cluster an `iss` of its own (`--service-account-issuer`), and write an issuer for each",
            weakens: .jwksURI)
    }

    /// Reports plain http without permission. An address that the profile derives is judged like the parameter it comes
    /// from.
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
    /// Placeholder for an issuer with errors while the rest of its section is read.
    static func unreadable(_ name: String) -> TrustedIssuer {
        TrustedIssuer(name: name, identifier: "", algorithms: [.rs256, .es256], tokenType: .accessTokenJWT)
    }
}

extension KeySetConfiguration {
    /// Copies of this key set for each source that the file names. With no sources, this key set itself.
    func at(_ sources: [KeySetSource]) -> [KeySetConfiguration] {
        guard !sources.isEmpty else { return [self] }
        return sources.map { source in
            var configuration = self
            configuration.source = source
            // The profile's settings apply only to the address that the profile knows.
            (configuration.caFile, configuration.credentials) = (nil, nil)
            // Old keys are retained because the platform's servers are not always in step. In the operator's own file,
            // a removed key is meant to be gone.
            if source.filePath != nil { configuration.retention = .zero }
            return configuration
        }
    }

    /// Placeholder for key sets that could not be read. It uses discovery, so that missing endpoints are not reported.
    fileprivate static let unreadable = KeySetConfiguration(source: .discovery(issuer: ""), issuer: "")
}
