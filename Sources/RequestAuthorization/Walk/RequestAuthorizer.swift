import AccessControl
import Callers
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import Quotas
import TokenVerification

/// Decides requests: finds each one's resource and rule, checks that its token is valid, and that it is sufficient.
///
/// Immutable, and free of I/O and clocks: the gateway, `explain` and the tests call the same function. Only the key
/// sets below it change, and each verdict uses one snapshot of one set.
public final class RequestAuthorizer: Sendable {
    public let resources: IndexedBy<ResourceIndex, ProtectedResource>
    public let issuers: IndexedBy<IssuerIndex, IssuerKeyStores>
    /// Fields that only Bearward may state.
    public let edits: HeaderEdits

    private let places: PlaceTable
    /// The resource at each place (host and path prefix).
    private let placeResources: IndexedBy<PlaceIndex, ResourceIndex>
    /// Stripped path prefix that upstreams get, by place. Nil if none is stripped.
    private let strippedPrefixes: IndexedBy<PlaceIndex, [UInt8]?>
    let compiled: IndexedBy<ResourceIndex, CompiledResource>
    private let documents: MetadataTable
    let placeHints: PlaceHints
    let soleResources: SoleResources
    let digestKey: TokenDigestKey?
    let knownTokens: KnownTokens?
    let knownHeaders = KnownHeaders()
    /// Questions about each caller that quotas and upstreams need answered.
    let callers: CallerQuestions
    /// Values of a proved token that the access log shows. Empty if the file chooses none.
    public let logged: [LoggedMember]
    let accounting: QuotaAccounting
    /// The deny list that the token of each request is checked against. Nil if the configuration names none.
    let denials: DenyList?
    /// The deny list that tokens of open streams are checked against. It may exist although requests are not checked: a
    /// later configuration may name a list. Nil if the authorizer was made without deny lists.
    let streamDenials: DenyList?
    /// Counters of the quotas, if requests are counted in this process alone. Nil if nothing is counted, or a shared
    /// store counts.
    let localQuotas: QuotaTable?
    private let hasQuotas: Bool
    /// True if a resource or a rule edits responses.
    public let editsResponses: Bool
    /// The most lenient treatment among the resources. Every path is parsed with it; then each resource applies its
    /// own.
    let encodedSlashes: EncodedSlashes

    /// - Parameters:
    ///   - digestKey: key of the digests under which opaque and cached tokens are looked up. Without it, they are not.
    ///   - cache: cache for verified tokens, of this configuration alone. Nil if tokens are not cached.
    ///   - logged: values of tokens that the access log shows.
    ///   - callerSecret: key of the digests that identify callers. Nil for `digestKey`.
    ///   - denials: deny list of tokens that are always rejected. Nil if there is none.
    ///   - streamDenials: deny list of tokens whose streams are closed. Nil for `denials`.
    /// - Throws: an error if two resources are at the same place.
    public init(
        resources: IndexedBy<ResourceIndex, ProtectedResource>, issuers: IndexedBy<IssuerIndex, IssuerKeyStores>,
        digestKey: TokenDigestKey? = nil, cache: VerifiedTokenCache? = nil, logged: [LoggedMember] = [],
        callerSecret: TokenDigestKey? = nil,
        accounting: QuotaAccounting = .none, denials: DenyList? = nil, streamDenials: DenyList? = nil
    ) throws(PlaceConflict) {
        let callers = CallerQuestions(resources.callerQuestions, secret: callerSecret ?? digestKey)
        self.callers = callers
        self.logged = logged
        self.accounting = accounting
        self.denials = denials
        self.streamDenials = streamDenials ?? denials
        localQuotas = if case .local(let table) = accounting { table } else { nil }
        knownTokens = cache.flatMap { cache in
            digestKey.map { digestKey in
                KnownTokens(
                    cache: cache, digestKey: digestKey, resources: resources.mapped(KnownResource.init),
                    issuers: issuers.mapped {
                        KnownIssuer(rules: $0.verifier.issuer, stores: $0.stores, realms: $0.realms)
                    },
                    callers: callers, logged: logged,
                    denials: denials)
            }
        }
        hasQuotas = resources.contains { $0.quotas.contains { !$0.isEmpty } }
        self.resources = resources
        self.digestKey = digestKey
        self.issuers = issuers
        encodedSlashes = EncodedSlashes.mostLenient(resources.map(\.encodedSlashes))
        placeResources = IndexedBy(resources.indexed.flatMap { index, resource in resource.places.map { _ in index } })
        strippedPrefixes = IndexedBy(
            resources.flatMap { resource in resource.places.map { resource.strippedPrefix(at: $0) } })
        places = try PlaceTable(resources.flatMap(\.places))
        placeHints = PlaceHints(resources)
        soleResources = SoleResources(resources.map(\.places))
        let compiled = resources.mapped { CompiledResource($0, issuers: issuers, callers: callers.questions) }
        self.compiled = compiled
        editsResponses = resources.contains { resource in
            !resource.responseEdits.isEmpty || resource.ruleResponseEdits.contains { !$0.isEmpty }
        }
        documents = MetadataTable(compiled.map { ($0.resource.places, $0.metadata) })
        edits = HeaderEdits(
            identityFields: resources.flatMap(\.identityNames),
            tokenFields: resources.flatMap(\.tokenPlaces).compactMap { $0.field?.name },
            tokenProtocols: resources.compactMap { $0.webSockets?.tokenProtocol })
    }

    /// Empties the token cache and frees its memory; each token is verified again at its next use.
    public func forgetKnownTokens() {
        knownTokens?.removeAll()
    }

    /// Returns the verdict on a request at a time.
    ///
    /// After `.wait`, set `request.answer` to the result of the wait and call again.
    public func authorize(_ request: inout AuthorizationRequest, at now: NumericDate) -> AuthorizationOutcome {
        RequestWalk(self, at: now).outcome(of: &request)
    }

    /// Returns the verdict as one plain value, without quotas and rate limits.
    ///
    /// - Parameter route: the known resource and rule of the request. Nil if they must be looked up.
    func verdict(on request: inout AuthorizationRequest, along route: RequestRoute?, at now: NumericDate) -> Verdict {
        var walk = RequestWalk(self, along: route, at: now)
        return walk.verdict(on: &request)
    }
}

extension RequestAuthorizer {
    /// The rules of an issuer. Nil if the index is nil or belongs to no issuer.
    func rules(of issuer: IssuerIndex?) -> TrustedIssuer? { verifier(of: issuer)?.issuer }

    /// The verifier with the rules of an issuer, for callers that read few of them: a copy of all is expensive. Nil if
    /// the index is nil or belongs to no issuer.
    func verifier(of issuer: IssuerIndex?) -> TokenVerifier? { issuer.flatMap { issuers[$0] }?.verifier }
}

// Lookups of a walk. They are methods here, so that no table is copied.
extension RequestAuthorizer {
    /// The metadata document at a request's path. At the root of a host it is also the document of the host's only
    /// resource, unless the path belongs to a resource. Nil if there is no document.
    func document(at request: borrowing AuthorizationRequest) -> PublishedDocument? {
        guard documents.mayHaveDocument(at: request.path) else { return nil }
        if let document = documents.document(at: request) { return document }
        return places.match(request) == nil ? documents.soleDocument(at: request) : nil
    }

    /// True if there may be a document at a path. Most paths are shorter, or begin differently.
    func mayPublish(at path: borrowing RequestPath) -> Bool { documents.mayHaveDocument(at: path) }

    func place(of request: borrowing AuthorizationRequest) -> (
        place: PlaceMatch, resource: ResourceIndex, compiled: CompiledResource
    )? {
        guard let place = places.match(request), let index = placeResources[place.placeIndex],
            let compiled = compiled[index]
        else {
            return nil
        }
        return (place, index, compiled)
    }

    /// The path prefix that was stripped from a request, as its upstream gets it. Nil if none was.
    func strippedPrefix(of request: borrowing AuthorizationRequest) -> [UInt8]? {
        places.match(request).flatMap { strippedPrefixes[$0.placeIndex] ?? nil }
    }

    /// The place that the request would be at if it had another path. Nil if no place matches.
    func place(of request: borrowing AuthorizationRequest, reading path: RequestPath) -> PlaceMatch? {
        places.match(request, reading: path)
    }
}

extension KnownResource {
    fileprivate init(_ resource: ProtectedResource) {
        self.init(
            issuers: resource.issuers, routes: resource.routes, policies: resource.policies,
            identityFields: resource.identityFields)
    }
}

extension RequestAuthorizer {
    /// Notes the key ID of a request that has to retry later. The issuer's next key fetch answers for it too, however
    /// many other key IDs are requested.
    public func noteUnasked(_ facts: AuthorizationFacts) {
        guard let keyID = facts.keyID, let issuer = facts.issuer.flatMap({ issuers[$0] }) else { return }
        for store in issuer.stores(of: facts.realm) { store.noteUnasked(keyID) }
    }
}

extension RequestAuthorizer {
    /// True if requests are counted, so that ``AuthorizationRequest/counting`` must be set.
    public var countsRequests: Bool {
        if case .none = accounting { false } else { hasQuotas }
    }
}

extension RequestAuthorizer {
    /// Removes callers that have all of their requests left. Without it, a process with little traffic would keep them.
    public func forgetRestingCallers(at now: Int64) {
        switch accounting {
        case .none: break
        case .local(let table), .shared(let table, _): table.forgetResting(at: now)
        }
    }
}
