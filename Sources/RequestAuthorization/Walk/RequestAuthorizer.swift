import AccessControl
import Callers
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import Quotas
import TokenVerification

/// Decides requests: which resource and rule each is for, whether its token is valid, and whether it is sufficient.
///
/// Immutable, and free of I/O and clocks: the gateway, `explain` and the tests call the same function. Only the key
/// sets change underneath it, and each verdict uses one snapshot of one set.
public final class RequestAuthorizer: Sendable {
    public let resources: IndexedBy<ResourceIndex, ProtectedResource>
    public let issuers: IndexedBy<IssuerIndex, IssuerKeys>
    /// Which fields only Bearward may state.
    public let edits: HeaderEdits

    private let places: PlaceTable
    /// The resource of each place.
    private let placeResources: IndexedBy<PlaceIndex, ResourceIndex>
    /// What upstreams are told was taken off the path, by the place; nil where nothing is.
    private let strippedPrefixes: IndexedBy<PlaceIndex, [UInt8]?>
    let compiled: IndexedBy<ResourceIndex, CompiledResource>
    private let documents: MetadataTable
    let placeHints: PlaceHints
    let soleResources: SoleResources
    let digestKey: TokenDigestKey?
    let knownTokens: KnownTokens?
    let knownHeaders = KnownHeaders()
    /// What has to be known of each caller.
    let callers: CallerQuestions
    let accounting: QuotaAccounting
    /// Asked about the token of each request; nil: the file names no deny list.
    let denials: DenyList?
    /// Asked about the tokens of what is open, also where requests are not: a later file may name a list.
    let streamDenials: DenyList?
    /// Where requests are counted if that is in this process alone.
    let localQuotas: QuotaTable?
    private let hasQuotas: Bool
    /// The most lenient way of the resources, by which every path is read; then each resource judges by its own.
    let encodedSlashes: EncodedSlashes

    /// - Parameters:
    ///   - digestKey: under which opaque and known tokens are looked up; without it, they are not.
    ///   - cache: where verified tokens are remembered, for this configuration alone; nil: nowhere.
    ///   - callerSecret: under which callers are told apart; nil: `digestKey`.
    ///   - denials: tokens that are refused whatever else they say; nil: there is no such list.
    ///   - streamDenials: tokens whose streams end; nil: the same.
    /// - Throws: if two resources are at the same place.
    public init(
        resources: IndexedBy<ResourceIndex, ProtectedResource>, issuers: IndexedBy<IssuerIndex, IssuerKeys>,
        digestKey: TokenDigestKey? = nil, cache: VerifiedTokenCache? = nil, callerSecret: TokenDigestKey? = nil,
        accounting: QuotaAccounting = .none, denials: DenyList? = nil, streamDenials: DenyList? = nil
    ) throws(PlaceConflict) {
        let callers = CallerQuestions(resources.callerQuestions, secret: callerSecret ?? digestKey)
        self.callers = callers
        self.accounting = accounting
        self.denials = denials
        self.streamDenials = streamDenials ?? denials
        localQuotas = if case .local(let table) = accounting { table } else { nil }
        knownTokens = cache.flatMap { cache in
            digestKey.map { digestKey in
                KnownTokens(
                    cache: cache, digestKey: digestKey, resources: resources.mapped(KnownResource.init),
                    issuers: issuers.mapped { KnownIssuer(rules: $0.verifier.issuer, stores: $0.stores) },
                    callers: callers,
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
        documents = MetadataTable(compiled.map { ($0.resource.places, $0.metadata) })
        edits = HeaderEdits(
            identityFields: resources.flatMap(\.identityNames),
            tokenFields: resources.compactMap { if case .field(let field) = $0.tokenPlace { field.name } else { nil } },
            tokenProtocols: resources.compactMap { $0.webSockets?.tokenProtocol })
    }

    /// Forgets which tokens were verified and gives their memory back; each is verified anew at its next use.
    public func forgetKnownTokens() {
        knownTokens?.removeAll()
    }

    /// The verdict on one request at one time.
    ///
    /// After `.wait`, set `request.answer` to how the wait ended and ask again.
    public func authorize(_ request: inout AuthorizationRequest, at now: NumericDate) -> AuthorizationOutcome {
        var walk = RequestWalk(self, at: now)
        return walk.outcome(of: &request)
    }

    /// The same in one word, without a say of quotas and limits.
    ///
    /// - Parameter route: where the request is known to belong; nil: that is to be found.
    func verdict(on request: inout AuthorizationRequest, along route: RequestRoute?, at now: NumericDate) -> Verdict {
        var walk = RequestWalk(self, along: route, at: now)
        return walk.verdict(on: &request)
    }
}

extension RequestAuthorizer {
    /// The rules of an issuer.
    func rules(of issuer: IssuerIndex?) -> TrustedIssuer? {
        issuer.flatMap { issuers[$0] }?.verifier.issuer
    }
}

// What a walk looks up: asked here, so that no table is copied.
extension RequestAuthorizer {
    /// The metadata document at a request's path. At the root of a host it is also that of the only resource there,
    /// unless the path is a resource's.
    func document(at request: borrowing AuthorizationRequest) -> PublishedDocument? {
        guard documents.mayHaveDocument(at: request.path) else { return nil }
        if let document = documents.document(at: request) { return document }
        return places.match(request) == nil ? documents.soleDocument(at: request) : nil
    }

    /// Whether a document may be at a path; most are shorter, or begin otherwise.
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

    /// What an upstream is told was taken off the path of a request, if anything was.
    func strippedPrefix(of request: borrowing AuthorizationRequest) -> [UInt8]? {
        places.match(request).flatMap { strippedPrefixes[$0.placeIndex] ?? nil }
    }

    /// The place that a request would be at with another path.
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
    /// Has the next fetch of an issuer's keys answer for the key ID of a request that is told to come back, however
    /// many name others.
    public func noteUnasked(_ facts: AuthorizationFacts) {
        guard let keyID = facts.keyID, let issuer = facts.issuer.flatMap({ issuers[$0] }) else { return }
        for store in issuer.stores { store.noteUnasked(keyID) }
    }
}

extension RequestAuthorizer {
    /// Whether requests are counted, and ``AuthorizationRequest/counting`` is needed.
    public var countsRequests: Bool {
        if case .none = accounting { false } else { hasQuotas }
    }
}

extension RequestAuthorizer {
    /// Forgets callers that have all of their requests left, as a quiet process would not otherwise.
    public func forgetRestingCallers(at now: Int64) {
        switch accounting {
        case .none: break
        case .local(let table), .shared(let table, _): table.forgetResting(at: now)
        }
    }
}
