import AccessControl
import Callers
import HTTPMessages
import IssuerProfiles
import ProxySettings
import Quotas
import RequestAuthorization
import TokenVerification

/// Reads `resources`.
struct ResourcesReader {
    let issuers: NamedIssuers
    let policies: NamedPolicies
    let quotas: NamedQuotas
    let methods: KnownMethods
    /// Longest value of an identity header, in bytes.
    let longestIdentity: Int
    /// True if the file has doors. A resource may then have no upstream.
    let hasDoors: Bool
    let bounds: BoundsReader
    /// Resources that could be read, in file order.
    private(set) var resources: IndexedBy<ResourceIndex, ReadResource> = []
    private(set) var upstreams: IndexedBy<UpstreamIndex, UpstreamGroup> = []
    /// Upstream targets as the file names them, in file order. A target can be named several times.
    private(set) var namedTargets: [ConfiguredTarget] = []
    private(set) var places = PlacesReader()
    private(set) var openings = ResourceOpenings()
    /// Header fields that carry the token of a resource, each with the value that configures it.
    private(set) var tokenFields: [(name: FieldName, value: Value)] = []
    /// The `forward.authorization` of each resource that passes `Authorization`, by the resource's identifier.
    private(set) var passing: [String: Value] = [:]
    /// First resource that uses a header for the identity, by the folded name of the header.
    private(set) var identityFields: [[UInt8]: Value.Member] = [:]

    mutating func read(_ value: Value) {
        let members = value.members(
            expected: "a mapping of resource identifiers to resources",
            hint: { "write each below its identifier: `https://host/path: {…}`" })
        guard let members else { return }
        if members.isEmpty {
            value.reportMissing(
                "there is no resource", hint: "write at least one: without it every request is answered 404")
        }
        for member in members { readResource(member) }
        judgeTokenFields()
        PassedAuthorizations(resources: Array(resources), upstreams: upstreams).judge(passing)
    }

    /// Targets in file order, each once.
    var targets: [ConfiguredTarget] {
        var known: Set<UpstreamTarget> = []
        return namedTargets.filter { known.insert($0.target).inserted }
    }

    /// Names of headers that requests are hashed by, or that carry an identity to an upstream. Headers with tokens are
    /// not included.
    var readFields: [FieldName] {
        let spreading = upstreams.compactMap { group in
            if case .hash(.field(let name)) = group.fleet.balance { FieldName(name) } else { nil }
        }
        return Array(Set(spreading + resources.flatMap(\.terms.identityNames)))
    }

    /// Reports token headers that another resource uses as an identity header. Clients could otherwise send an
    /// identity.
    private func judgeTokenFields() {
        for (name, value) in tokenFields {
            guard let resource = identityFields[name.folded] else { continue }
            value.report(
                "`\(String(decoding: name.spelling, as: UTF8.self))` states an identity to the upstream of `\(resource.key)`",
                hint: "give one of the two another name")
        }
    }

    // MARK: One resource

    /// Reads everything of a resource, even after errors.
    private mutating func readResource(_ member: Value.Member) {
        if member.key.isEmpty { member.reportKey("a resource's identifier must not be empty") }
        let identifierPlace = PlacesReader.place(ofIdentifier: member)
        guard let section = Section(member.value, of: ResourceKeys.self) else { return }
        let parameters = section.read(\.pathParameters).value ?? .refuse
        let places = places.read(section[\.at], identifierPlace, member, parameters)
        let forwarding = RuleForwardingReader(bounds: bounds, isForDoorsAlone: section[\.upstream] == nil)
        var rules = RulesReader.read(
            section, policies: policies, issuers: issuers, quotas: quotas, methods: methods, parameters: parameters,
            forwarding: forwarding)
        Self.warnOfRepetition(of: places, rules, section[\.upstream])
        let hierarchy = ScopesReader.read(section, rules: rules)
        var terms = ProtectedResource.unread(member.key)
        section.assign(to: &terms)
        judgeEncodedSlashes(section, terms, rules)
        let accepted = accepted(section, member, &rules)
        var upstream = UpstreamReader(firstGroup: upstreams.nextIndex, mayBeAbsent: hasDoors, methods: methods)
        let upstreamRoutes = upstream.read(section, rules: rules, parameters: parameters)
        if section[\.stripPrefix] == nil {
            for basePath in upstream.basePaths { basePath.warnOfRepetition(places) }
        }
        readFields(section, member, into: &terms)
        for issuer in accepted.map(\.issuer) { judgeTokenHeader(of: issuer, section, terms.tokenPlaces) }
        readBrowserTerms(section, upstream, into: &terms)
        if section[\.cors] != nil { rules?.warnOfPreflights() }
        (terms.bounds, terms.responseEdits) = (forwarding.bounds(of: section), forwarding.edits(of: section))
        let quotas = quotas.named(section[\.quotas])
        guard let rules, let routes = rules.table, let upstreamRoutes else { return }
        terms.places = places.map(\.pattern)
        terms.keepsPathParameters = parameters == .keep
        terms.issuers = accepted.map(\.terms)
        terms.take(rules, routes, hierarchy, quotas)
        terms.upstreamRoutes = upstreamRoutes.table
        terms.upstreams = upstreamRoutes.groups
        terms.spreads = upstream.spreads(of: upstreamRoutes)
        for group in upstream.groups { upstreams.append(group) }
        namedTargets += upstream.targets
        resources.append(
            ReadResource(member: member, terms: terms, rules: rules, accepted: accepted, askFor: section[\.askFor]))
    }

    private static func warnOfRepetition(of places: [WrittenPlace], _ rules: ResourceRules?, _ upstream: Value?) {
        guard let repetition = RepeatedPlace(places) else { return }
        for rule in rules?.rules ?? [] { repetition.judge(rule.member, "rules are") }
        guard let upstream, upstream.isMapping else { return }
        for member in upstream.members() ?? [] where member.key.hasPrefix("/") {
            repetition.judge(member, "prefixes are")
        }
    }

    private func judgeEncodedSlashes(
        _ section: Section<ResourceKeys>, _ terms: ProtectedResource, _ rules: ResourceRules?
    ) {
        switch terms.encodedSlashes {
        case .refuse: break
        case .keep: rules?.warnOfOneReading(section[\.encodedSlashes])
        case .opaque where hasDoors:
            section[\.encodedSlashes]?.report(
                "`opaque` is not for a file with `doors`: the proxy that asks may decode `%2F` before it chooses where a request goes",
                hint: "write `keep`, or have the resource in a file without doors")
        case .opaque where terms.stripsPrefix:
            section[\.stripPrefix]?.report(
                "is not for a resource with `encoded_slashes: opaque`: what is left of a path may begin with `%2F`, which would lead elsewhere",
                hint: "take `strip_prefix` out and give the upstream's URL a path, or write `encoded_slashes: keep`")
        case .opaque: rules?.warnOfOpaqueSlashes(section[\.encodedSlashes])
        }
    }

    /// Reads the accepted issuers. Requirements of those issuers are added to the rules.
    private mutating func accepted(
        _ section: Section<ResourceKeys>, _ member: Value.Member, _ rules: inout ResourceRules?
    ) -> [AcceptanceReader.Accepted] {
        let accepted = AcceptanceReader(issuers: issuers, identifier: member.key).read(section, rules: rules)
        rules?.judgePublic(beside: accepted.map(\.issuer))
        rules?.add(requirementsOf: accepted.map(\.issuer))
        let sharesAudience = section.read(\.sharedAudience).value ?? false
        openings.note(
            accepted, resource: section.value, acknowledgement: sharesAudience ? section[\.sharedAudience] : nil)
        return accepted
    }

    /// Reads the identity headers, and the header of the token.
    private mutating func readFields(
        _ section: Section<ResourceKeys>, _ member: Value.Member, into terms: inout ProtectedResource
    ) {
        terms.longestIdentity = longestIdentity
        ForwardReader.read(section[\.forward], into: &terms)
        defer {
            if terms.passesAuthorization {
                passing[member.key] = section[\.forward]?.member(\ForwardKeys.authorization)
            }
        }
        for field in terms.identityFields where identityFields[field.name.folded] == nil {
            identityFields[field.name.folded] = member
        }
        guard let places = section.read(\.tokenHeader).value, let first = places.first else { return }
        for case (.field(let field), let value) in places { tokenFields.append((field.name, value)) }
        terms.tokenPlace = first.place
        terms.otherTokenPlaces = places.dropFirst().map(\.place)
    }

    /// Reports an issuer whose tokens never come where the resource expects them, or not as it expects them.
    private func judgeTokenHeader(
        of issuer: NamedIssuer, _ section: Section<ResourceKeys>, _ places: [TokenPlace]
    ) {
        guard let header = issuer.profile?.tokenHeader, let name = FieldName(header) else { return }
        if let field = places.lazy.compactMap(\.field).first(where: { $0.name.folded == name.folded }) {
            guard !field.prefix.isEmpty else { return }
            // The fields of this resource were noted last.
            let written = tokenFields.last { $0.name.folded == name.folded }?.value
            let prefix = String(decoding: field.prefix, as: UTF8.self)
            (written?.member(\TokenHeaderKeys.prefix) ?? written)?.report(
                "in `\(header)` nothing stands before a token of `\(issuer.name)`, so none begins with `\(prefix)`",
                hint: "leave `prefix` out")
            return
        }
        let message = "tokens of `\(issuer.name)` come in `\(header)`"
        let hint = "write `\(section.name(of: \.tokenHeader)): \(header)`"
        guard let value = section[\.tokenHeader] else { return section.value.reportMissing(message, hint: hint) }
        value.report(message, hint: hint)
    }

    /// Reads the CORS policy and the WebSocket policy.
    private func readBrowserTerms(
        _ section: Section<ResourceKeys>, _ upstream: UpstreamReader, into terms: inout ProtectedResource
    ) {
        terms.crossOrigin = section[\.cors].flatMap { CrossOriginReader.read($0, tokenPlaces: terms.tokenPlaces) }
        guard let value = section[\.websocket] else { return }
        terms.webSockets = WebSocketReader(crossOrigin: terms.crossOrigin, hasDoors: hasDoors).read(value)
        if terms.webSockets != nil, upstream.groups.contains(where: { $0.targets.contains { $0.protocols == .http2 } })
        {
            value.report(
                "an upstream of this resource speaks HTTP/2 alone",
                hint: "write `http://`, or let it speak `http/1.1` too")
        }
    }
}

extension ProtectedResource {
    /// Placeholder for a resource that is not read yet. It has no place and permits nothing.
    static func unread(_ identifier: String) -> ProtectedResource {
        ProtectedResource(
            identifier: identifier, places: [], issuers: [], routes: RouteTable(), policies: [],
            upstreamRoutes: RouteTable(), upstreams: [])
    }

    /// Sets the rules, each with its own maintenance, bounds and response edits, and with the quotas and the mode that
    /// it shares with the resource.
    fileprivate mutating func take(
        _ rules: ResourceRules, _ table: RouteTable, _ hierarchy: ScopeHierarchy, _ common: [Quota]
    ) {
        routes = table
        policies = IndexedBy(rules.policies.map(hierarchy.applied))
        commonQuotas = common
        quotas = rules.rules.mapped { rule in
            common + rule.quotas.filter { own in !common.contains { $0.name == own.name } }
        }
        ruleModes = rules.rules.mapped { [mode] in $0.mode ?? mode }
        ruleMaintenance = rules.rules.mapped(\.maintenance)
        ruleBounds = rules.rules.mapped(\.bounds)
        ruleResponseEdits = rules.rules.mapped(\.responseEdits)
    }
}
