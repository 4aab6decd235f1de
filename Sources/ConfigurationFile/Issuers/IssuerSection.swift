import AccessControl
import KeySets
import NetworkNames
import TokenIntrospection
import TokenVerification

/// What an issuer says with or without a profile: how it is reached, and what every issuer may say.
struct IssuerSection {
    let section: Section<IssuerKeys>
    let permitsPlainHTTP: Bool
    private let caFile: String?
    private let keyTimes: KeyTimes
    private let credentials: KeySetCredentials?
    private let waitingLimit: Int
    /// What each of the issuer's tokens must say, besides what makes it one.
    private let claimChecks: [IssuerCheck]
    /// What each of them must meet besides, at every rule.
    let required: [Requirement]
    /// Whether it has a `require`, whatever that asks for.
    var hasRequirement: Bool { section[\.require] != nil }
    /// Whether it says where its keys are, rightly or wrongly.
    var namesKeys: Bool { section[\.jwksURI] != nil || section[\.jwksFile] != nil }

    init(_ section: Section<IssuerKeys>, waitingLimit: Int) {
        self.section = section
        self.waitingLimit = waitingLimit
        permitsPlainHTTP = section.read(\.plainHTTP).value == true
        caFile = section.read(\.caFile).value
        keyTimes = KeyTimesReader(section: section).read()
        credentials = KeySetCredentialsReader(section: section).read()
        (claimChecks, required) = section[\.require].map(Self.required) ?? ([], [])
    }

    /// The issuer with what this section says of it.
    ///
    /// - Parameters:
    ///   - names: what its key sets are called, if not by their sources.
    ///   - endpoint: where opaque tokens are asked about if neither the file nor metadata says it. Nil if one of them
    ///     must.
    func configured(
        _ trusted: TrustedIssuer, keySets: IndexedBy<KeySetIndex, KeySetConfiguration>,
        names: IndexedBy<KeySetIndex, String>? = nil, endpoint: HTTPURL? = nil
    ) -> ConfiguredIssuer {
        var trusted = trusted
        readRules(into: &trusted)
        trusted.mergesKeySets = section[\.jwksURI]?.isList == true && keySets.count > 1
        let keySets = keySets.mapped(reached)
        let learnt = keySets.lazy.compactMap(IssuerDocument.init(of:)).first
        let opaque = OpaqueReader(
            permitsPlainHTTP: permitsPlainHTTP, caFile: caFile,
            endpoint: endpoint.map { .configured($0) } ?? learnt.map { .learnt(from: $0) })
        let introspection = section.read(\.opaque, opaque.read).value
        trusted.opaqueTokens = introspection?.rule
        return ConfiguredIssuer(
            trusted: trusted, keySets: keySets, introspection: introspection?.configuration,
            place: IssuerPlace(
                place: section.value.filePlace, keySetNames: names ?? keySets.mapped(\.source.description),
                introspection: introspection?.place))
    }

    /// What is not said here stays as the profile has it.
    private func readRules(into trusted: inout TrustedIssuer) {
        section.assign(to: &trusted)
        if trusted.allowsMissingKeyID {
            section[\.allowMissingKeyID]?.warn(
                "a token that names no key, or whose issuer names none, is tried with the keys that fit, four at most",
                hint: "have the issuer write `kid`, in tokens and keys")
        }
        trusted.deniedKeys.formUnion(section.read(\.deniedKeys).value ?? [])
        trusted.claimChecks += claimChecks
    }

    private static func required(_ value: Value) -> ([IssuerCheck], [Requirement]) {
        guard let section = Section(value, of: IssuerRequirementKeys.self) else { return ([], []) }
        if value.members()?.isEmpty == true { value.report("asks for nothing", hint: "write {claims: {claim: value}}") }
        // No rule is known here, so there is no path to take a name from.
        let reader = RequirementReader(policies: nil, issuers: [], parameters: []).part
        let parts = section.part(RequirementKeys.self)
        let checks = reader.claimRequirements(parts).map { IssuerCheck($0.claimTest, else: .claimNotAllowed) }
        return (checks, reader.grantRequirements(parts))
    }

    private func reached(_ keySet: KeySetConfiguration) -> KeySetConfiguration {
        var keySet = keySet
        keySet.caFile = caFile ?? keySet.caFile
        keySet.allowsPlainHTTP = permitsPlainHTTP
        keySet.waitingLimit = waitingLimit
        keySet.credentials = credentials ?? keySet.credentials
        keyTimes.apply(to: &keySet)
        return keySet
    }
}
