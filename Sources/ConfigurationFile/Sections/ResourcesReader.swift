import AccessControl
import Callers
import HTTPMessages
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
    /// Of a field that states a part of the identity, in bytes.
    let longestIdentity: Int
    /// Whether a resource can be reached without an upstream.
    let hasDoors: Bool
    /// The resources that could be read, in file order.
    private(set) var resources: IndexedBy<ResourceIndex, ReadResource> = []
    private(set) var upstreams: IndexedBy<UpstreamIndex, UpstreamGroup> = []
    /// Every place where the file names a target of those, in file order.
    private(set) var namedTargets: [ConfiguredTarget] = []
    private(set) var places = PlacesReader()
    private(set) var openings = ResourceOpenings()
    /// Fields that have the token of a resource, and where the file says so.
    private(set) var tokenFields: [(name: FieldName, value: Value)] = []
    /// The first resource that states an identity in a field, by the field's folded name.
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
    }

    /// The targets in file order, each once.
    var targets: [ConfiguredTarget] {
        var known: Set<UpstreamTarget> = []
        return namedTargets.filter { known.insert($0.target).inserted }
    }

    /// Names of fields beside those of tokens that requests are spread by, or that state an identity to an upstream.
    var readFields: [FieldName] {
        let spreading = upstreams.compactMap { group in
            if case .hash(.field(let name)) = group.fleet.balance { FieldName(name) } else { nil }
        }
        return Array(Set(spreading + resources.flatMap(\.terms.identityNames)))
    }

    /// What one upstream believes to be an identity must not be what clients send.
    private func judgeTokenFields() {
        for (name, value) in tokenFields {
            guard let resource = identityFields[name.folded] else { continue }
            value.report(
                "`\(String(decoding: name.spelling, as: UTF8.self))` states an identity to the upstream of `\(resource.key)`",
                hint: "give one of the two another name")
        }
    }

    // MARK: One resource

    /// Everything is read, whatever is wrong before it.
    private mutating func readResource(_ member: Value.Member) {
        if member.key.isEmpty { member.reportKey("a resource's identifier must not be empty") }
        let identifierPlace = PlacesReader.place(ofIdentifier: member)
        guard let section = Section(member.value, of: ResourceKeys.self) else { return }
        let parameters = section.read(\.pathParameters).value ?? .refuse
        let places = places.read(section[\.at], identifierPlace, member, parameters)
        var rules = RulesReader.read(
            section, policies: policies, issuers: issuers, quotas: quotas, methods: methods, parameters: parameters)
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
        readBrowserTerms(section, upstream, into: &terms)
        if section[\.cors] != nil { rules?.warnOfPreflights() }
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

    /// Reads whose tokens are accepted. What those issuers ask of each of their tokens goes into the rules.
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

    /// Reads which fields state the identity, and which has the token.
    private mutating func readFields(
        _ section: Section<ResourceKeys>, _ member: Value.Member, into terms: inout ProtectedResource
    ) {
        terms.longestIdentity = longestIdentity
        ForwardReader.read(section[\.forward], into: &terms)
        for field in terms.identityFields where identityFields[field.name.folded] == nil {
            identityFields[field.name.folded] = member
        }
        guard let value = section[\.tokenHeader], let field = section.read(\.tokenHeader).value else { return }
        tokenFields.append((field.name, value))
        terms.tokenPlace = .field(field)
    }

    /// Reads what pages of other origins may do, and how WebSockets are opened.
    private func readBrowserTerms(
        _ section: Section<ResourceKeys>, _ upstream: UpstreamReader, into terms: inout ProtectedResource
    ) {
        terms.crossOrigin = section[\.cors].flatMap { CrossOriginReader.read($0, tokenPlace: terms.tokenPlace) }
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
    /// Stands for a resource of which nothing is read yet: it is nowhere, and permits nothing.
    static func unread(_ identifier: String) -> ProtectedResource {
        ProtectedResource(
            identifier: identifier, places: [], issuers: [], routes: RouteTable(), policies: [],
            upstreamRoutes: RouteTable(), upstreams: [])
    }

    /// Takes what the rules say, and for each what the resource says of all.
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
    }
}
