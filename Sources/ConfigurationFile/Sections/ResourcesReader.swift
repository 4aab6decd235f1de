import AccessControl
import HTTPMessages
import IdentityFields
import ProxySettings
import Quotas
import RequestAuthorization
import TypedIndices

/// A place, and the value that names it.
struct WrittenPlace {
    let pattern: PlacePattern
    let value: Value
    /// The path as the file spells it, from its first slash; empty for a whole host.
    let path: Substring
}

extension WrittenPlace {
    /// Hosts by which other gateways mean every host.
    fileprivate static let catchAlls: Set<String> = ["_", "default", "default_server", "0.0.0.0", "[::]"]

    /// Tells of a host that other gateways take for every host; here a client has to name it.
    fileprivate func noteCatchAll() {
        let host = pattern.withoutPath.description
        guard Self.catchAlls.contains(host) else { return }
        value.notePlace(
            "`\(host)` is a host here, which clients would have to name",
            hint: "write `at: \(pattern.onAnyHost)` for every host")
    }
}

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
    /// The names of those that requests count against.
    private(set) var usedQuotas: Set<String> = []
    private(set) var resources: IndexedBy<ResourceIndex, ProtectedResource> = []
    private(set) var resourcePlaces: [FilePlace] = []
    private(set) var ruleNames: [[String]] = []
    private(set) var rulePlaces: [[FilePlace]] = []
    private(set) var upstreams: IndexedBy<UpstreamIndex, UpstreamGroup> = []
    private(set) var upstreamPlaces: [UpstreamPlace] = []
    /// What ``ResourceLints`` looks at.
    private(set) var linted: [ResourceLints.Resource] = []
    /// Each place, and the value that names it first.
    private(set) var places: [PlacePattern: Value] = [:]
    private var targets: Set<UpstreamTarget> = []
    private(set) var openings = ResourceOpenings()
    /// Fields that have the token of a resource, and where the file says so.
    private(set) var tokenFields: [(name: FieldName, value: Value)] = []
    /// The first resource that states an identity in a field, by the field's folded name.
    private var identityFields: [[UInt8]: Value.Member] = [:]

    init(
        issuers: NamedIssuers, policies: NamedPolicies, quotas: NamedQuotas, methods: KnownMethods,
        longestIdentity: Int,
        hasDoors: Bool = false
    ) {
        self.methods = methods
        self.hasDoors = hasDoors
        self.issuers = issuers
        self.policies = policies
        self.quotas = quotas
        self.longestIdentity = longestIdentity
    }

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

    /// Names of fields beside those of tokens that requests are spread by, or that state an identity to an upstream.
    var readFields: [FieldName] {
        let spreading = upstreams.compactMap { group in
            if case .hash(.field(let name)) = group.fleet.balance { FieldName(name) } else { nil }
        }
        return Array(Set(spreading + resources.flatMap(\.identityNames)))
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

    private static func reportOpaqueAtDoors(_ section: Section<ResourceKey>) {
        section[.encodedSlashes]?.report(
            "`opaque` is not for a file with `doors`: the proxy that asks may decode `%2F` before it chooses where a request goes",
            hint: "write `keep`, or have the resource in a file without doors")
    }

    private static func reportOpaqueBehindPrefix(_ section: Section<ResourceKey>) {
        section[.stripPrefix]?.report(
            "is not for a resource with `encoded_slashes: opaque`: what is left of a path may begin with `%2F`, which would lead elsewhere",
            hint: "take `strip_prefix` out and give the upstream's URL a path, or write `encoded_slashes: keep`")
    }

    private mutating func readResource(_ member: Value.Member) {
        if member.key.isEmpty { member.reportKey("a resource's identifier must not be empty") }
        let identifierPlace = Self.place(ofIdentifier: member)
        guard let section = Section(member.value, of: ResourceKey.self) else { return }
        let endsAtExpiry = section.word(.atExpiry, ResourceKey.AtExpiry.self).value != .keep
        let parameters = section.word(.pathParameters, PathParameters.self).value ?? .refuse
        let places = places(section, identifierPlace, member, parameters)
        var rules = RulesReader.read(
            section, policies: policies, issuers: issuers, quotas: quotas, methods: methods, parameters: parameters)
        Self.warnOfRepetition(of: places, rules, section[.upstream])
        let hierarchy = ScopesReader.read(section, rules: rules)
        let stripsPrefix = section.boolean(.stripPrefix).value ?? false
        let encodedSlashes = section.word(.encodedSlashes, EncodedSlashes.self).value ?? .refuse
        switch encodedSlashes {
        case .refuse: break
        case .keep: rules?.warnOfOneReading(section[.encodedSlashes])
        case .opaque where hasDoors: Self.reportOpaqueAtDoors(section)
        case .opaque where stripsPrefix: Self.reportOpaqueBehindPrefix(section)
        case .opaque: rules?.warnOfOpaqueSlashes(section[.encodedSlashes])
        }
        let accepted = AcceptanceReader(issuers: issuers, identifier: member.key).read(section, rules: rules)
        rules?.judgePublic(beside: accepted.map(\.issuer))
        rules?.add(requirementsOf: accepted.map(\.issuer))
        let sharesAudience = section.boolean(.sharedAudience).value ?? false
        openings.note(
            accepted, resource: section.value, acknowledgement: sharesAudience ? section[.sharedAudience] : nil)
        var upstreamReader = UpstreamReader(firstGroup: upstreams.nextIndex, mayBeAbsent: hasDoors, methods: methods)
        let upstreamRoutes = upstreamReader.read(section, rules: rules, parameters: parameters)
        if section[.stripPrefix] == nil {
            for basePath in upstreamReader.basePaths { basePath.warnOfRepetition(places) }
        }
        let forwarding = ForwardReader.read(section[.forward], longestIdentity: longestIdentity)
        let tokenField = TokenHeaderReader.read(section[.tokenHeader])
        if let tokenField, let value = section[.tokenHeader] { tokenFields.append((tokenField.name, value)) }
        for field in forwarding.fields where identityFields[field.name.folded] == nil {
            identityFields[field.name.folded] = member
        }
        let crossOrigin = CrossOriginReader.read(section[.cors], tokenField: tokenField)
        if section[.cors] != nil { rules?.warnOfPreflights() }
        let webSockets = section[.websocket].flatMap(WebSocketReader(crossOrigin: crossOrigin, hasDoors: hasDoors).read)
        if webSockets != nil, upstreamReader.groups.contains(where: { $0.targets.contains { $0.protocols == .http2 } })
        {
            section[.websocket]?.report(
                "an upstream of this resource speaks HTTP/2 alone",
                hint: "write `http://`, or let it speak `http/1.1` too")
        }
        let ownQuotas = quotas.named(section[.quotas])
        let mode = section.read(.mode, ModeReader.read).value ?? .enforce
        let publishesMetadata = section[.metadata].map(Self.publishesMetadata) ?? true
        guard let rules, let routes = rules.table, let upstreamRoutes else { return }
        var resource = ProtectedResource(
            identifier: member.key, places: places.map(\.pattern), issuers: accepted.map(\.terms), routes: routes,
            policies: IndexedBy(rules.policies.map(hierarchy.applied)),
            upstreamRoutes: upstreamRoutes.table, upstreams: upstreamRoutes.groups,
        )
        resource.keepsPathParameters = parameters == .keep
        resource.encodedSlashes = encodedSlashes
        resource.webSockets = webSockets
        resource.crossOrigin = crossOrigin
        resource.endsStreamsAtExpiry = endsAtExpiry
        resource.stripsPrefix = stripsPrefix
        resource.keepsAuthorization = forwarding.keepsAuthorization
        resource.identityFields = forwarding.fields
        resource.statesClientCertificate = forwarding.statesClientCertificate
        resource.longestIdentity = longestIdentity
        if let tokenField { resource.tokenPlace = .field(tokenField) }
        resource.publishesMetadata = publishesMetadata
        resource.quotas = IndexedBy(
            rules.quotas.map { of in ownQuotas + of.filter { quota in !ownQuotas.contains { $0.name == quota.name } } })
        resource.commonQuotas = ownQuotas
        resource.mode = mode
        resource.ruleModes = IndexedBy(rules.modes.map { $0 ?? mode })
        for quota in resource.quotas.flatMap(\.self) { usedQuotas.insert(quota.name) }
        resource.spreads = upstreamReader.spreads(of: upstreamRoutes)
        resources.append(resource)
        resourcePlaces.append(FilePlace(position: member.value.keyPosition, keyPath: member.value.path.description))
        ruleNames.append(rules.names)
        rulePlaces.append(rules.places)
        for group in upstreamReader.groups { upstreams.append(group) }
        for place in upstreamReader.targetPlaces where targets.insert(place.target).inserted {
            upstreamPlaces.append(place)
        }
        linted.append(
            ResourceLints.Resource(
                member: member, rules: rules, accepted: accepted, askFor: section[.askFor],
                servesMetadata: resource.metadataURL != nil))
    }

    /// The document is published unless the file says `none`.
    private static func publishesMetadata(_ value: Value) -> Bool {
        guard let text = value.text(expected: "`none`") else { return true }
        if text != "none" {
            value.report("`\(text)` is not known here", hint: "write `none`, or leave it out for a metadata document")
        }
        return text != "none"
    }

    // MARK: Places

    /// The place that an identifier is; judged also when `at` replaces it, since clients send it as `resource` (RFC
    /// 8707 §2).
    private static func place(ofIdentifier member: Value.Member) -> WrittenPlace? {
        do throws(PlaceRejection) {
            guard let pattern = try PlacePattern(resourceIdentifier: member.key) else { return nil }
            let authority = member.key.firstRange(of: "://")?.upperBound ?? member.key.startIndex
            return WrittenPlace(pattern: pattern, value: member.value, path: member.key[authority...].fromFirstSlash)
        } catch {
            let text = error.text
            member.reportKey("the identifier is not the URL of a resource: \(text.message)", hint: text.hint)
            return nil
        }
    }

    private mutating func places(
        _ section: Section<ResourceKey>, _ ofIdentifier: WrittenPlace?, _ member: Value.Member,
        _ parameters: PathParameters
    ) -> [WrittenPlace] {
        let written = section[.at].map(Self.writtenPlaces) ?? ofIdentifier.map { [$0] } ?? []
        if section[.at] == nil, ofIdentifier == nil, !Self.looksLikeURL(member.key) {
            section.value.reportMissing(
                "`at` is missing",
                hint:
                    "`\(member.key)` is only a name: write where it is, such as `at: \(Self.proposedPlace(for: member.key))`"
            )
        }
        for place in written {
            if place.pattern.hasParameters { parameters.judge(place.value) }
            if let lookalikes = PatternLookalikes(in: place.path) {
                Self.warn(of: lookalikes, at: section[.at] == nil ? nil : place.value, member)
            }
            place.noteCatchAll()
            if let first = places[place.pattern] {
                let isKey = section[.at] == nil
                let message = "the place `\(place.pattern)` is already taken at \(first.place)"
                isKey ? member.reportKey(message) : place.value.report(message)
            } else {
                places[place.pattern] = place.value
            }
        }
        return written
    }

    /// An identifier is also the audience of tokens, so an escape in it would ask for another one.
    private static func warn(of lookalikes: PatternLookalikes, at: Value?, _ member: Value.Member) {
        guard let at else {
            let hint = "patterns belong in `rules`; write `at` with \(lookalikes.escaped) for the literal"
            return member.warnKey(lookalikes.message, hint: hint)
        }
        at.warn(lookalikes.message, hint: "patterns belong in `rules`; write \(lookalikes.escaped) for the literal")
    }

    private static func warnOfRepetition(of places: [WrittenPlace], _ rules: ResourceRules?, _ upstream: Value?) {
        guard let repetition = RepeatedPlace(places) else { return }
        for rule in rules?.rules ?? [] { repetition.judge(rule.member, "rules are") }
        guard let upstream, upstream.isMapping else { return }
        for member in upstream.members() ?? [] where member.key.hasPrefix("/") {
            repetition.judge(member, "prefixes are")
        }
    }

    /// The place that a name looks like, or the path of that name.
    private static func proposedPlace(for name: String) -> String {
        if let place = try? PlacePattern(at: name), !place.isBareWord { return FlowText.of(name) }
        return (try? PlacePattern(at: "/\(name)")) == nil ? "/orders" : FlowText.of("/\(name)")
    }

    private static func looksLikeURL(_ identifier: String) -> Bool {
        ["http://", "https://"].contains { identifier.lowercased().hasPrefix($0) }
    }

    private static func writtenPlaces(_ at: Value) -> [WrittenPlace] {
        guard let elements = at.someElements(of: "place", expected: "a place or a list of places") else { return [] }
        return elements.compactMap { element in
            guard let text = element.someText(expected: "a place such as `/path` or `host/path`") else { return nil }
            do throws(PlaceRejection) {
                let pattern = try PlacePattern(at: text)
                if pattern.isBareWord, !WrittenPlace.catchAlls.contains(text) {
                    element.warn("`\(text)` is a host here, not a path", hint: "write `/\(text)` for the path")
                }
                return WrittenPlace(pattern: pattern, value: element, path: text.fromFirstSlash)
            } catch {
                element.report(error.text)
                return nil
            }
        }
    }
}
