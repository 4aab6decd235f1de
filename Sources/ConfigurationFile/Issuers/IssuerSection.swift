import AccessControl
import KeySets
import NetworkNames
import TokenIntrospection
import TokenVerification

/// Part of an issuer that is the same with and without a profile: how its keys are reached, and the keys of every
/// issuer.
struct IssuerSection {
    let section: Section<IssuerKeys>
    let permitsPlainHTTP: Bool
    private let caFile: String?
    private let keyTimes: KeyTimes
    private let credentials: KeySetCredentials?
    private let waitingLimit: Int
    /// Checks on claims that each token of the issuer must pass in addition to the issuer's own.
    private let claimChecks: [IssuerCheck]
    /// Requirements that each token of the issuer must meet at every rule, in addition to the rule's own.
    let required: [Requirement]
    /// True if the issuer has `require`, even an invalid one.
    var hasRequirement: Bool { section[\.require] != nil }
    /// True if the file says where the keys are, even if that is invalid.
    var namesKeys: Bool { section[\.jwksURI] != nil || section[\.jwksFile] != nil || section[\.pemKeys] != nil }

    init(_ section: Section<IssuerKeys>, waitingLimit: Int) {
        self.section = section
        self.waitingLimit = waitingLimit
        permitsPlainHTTP = section.read(\.plainHTTP).value == true
        caFile = section.read(\.caFile).value
        keyTimes = KeyTimesReader(section: section).read()
        credentials = KeySetCredentialsReader(section: section).read()
        (claimChecks, required) = section[\.require].map(Self.required) ?? ([], [])
    }

    /// Makes the configured issuer from the verified part and this section.
    ///
    /// - Parameters:
    ///   - names: names of the key sets. Nil if they are named by their sources.
    ///   - endpoint: introspection endpoint, used if neither the file nor metadata names one. Nil if one of them must.
    func configured(
        _ trusted: TrustedIssuer, keySets: IndexedBy<KeySetIndex, KeySetConfiguration>,
        names: IndexedBy<KeySetIndex, String>? = nil, endpoint: HTTPURL? = nil
    ) -> ConfiguredIssuer {
        var trusted = trusted
        readRules(into: &trusted)
        let isList = section[\.jwksURI]?.isList == true || section[\.pemKeys] != nil
        trusted.mergesKeySets = isList && keySets.count > 1
        var keySets = keySets.mapped(reached)
        let realms = RealmsReader(section: section).read(trusted.identifiers.first?.exactText)
        let ofRealms = realms.flatMap { realms in keySets[0].map { realms.apply(to: &trusted, common: $0) } }
        if let ofRealms { keySets = ofRealms.keySets }
        let learnt = keySets.lazy.compactMap(IssuerDocument.init(of:)).first
        let opaque = OpaqueReader(
            permitsPlainHTTP: permitsPlainHTTP, caFile: caFile,
            endpoint: endpoint.map { .configured($0) } ?? learnt.map { .learnt(from: $0) })
        let introspection = section.read(\.opaque, opaque.read).value
        trusted.opaqueTokens = introspection?.rule
        return ConfiguredIssuer(
            trusted: trusted, keySets: keySets, realms: ofRealms?.realms, introspection: introspection?.configuration,
            place: IssuerPlace(
                place: section.value.filePlace, keySetNames: names ?? keySets.mapped(\.source.description),
                introspection: introspection?.place))
    }

    /// Sets the rules that the section has. All others keep the profile's values.
    private func readRules(into trusted: inout TrustedIssuer) {
        section.assign(to: &trusted)
        if trusted.allowsMissingKeyID {
            section[\.allowMissingKeyID]?.warn(
                "a token that names no key, or whose issuer names none, is tried with the keys that fit, four at most",
                hint: "have the issuer write `kid`, in tokens and keys", weakens: .allowMissingKeyID)
        }
        let withoutAudience = WithoutAudienceReader(issuer: trusted)
        trusted.clientsWithoutAudience = section.read(\.withoutAudience, withoutAudience.read).value ?? []
        trusted.deniedKeys.formUnion(section.read(\.deniedKeys).value ?? [])
        trusted.claimChecks += claimChecks
    }

    private static func required(_ value: Value) -> ([IssuerCheck], [Requirement]) {
        guard let section = Section(value, of: IssuerRequirementKeys.self) else { return ([], []) }
        if value.members()?.isEmpty == true { value.report("asks for nothing", hint: "write {claims: {claim: value}}") }
        // The rules are not known here, so a requirement cannot use a name from a path.
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
