import AccessControl
import Callers
import ConfigurationFile
import HTTPMessages
import ProxySettings
import RequestAuthorization
import TokenVerification

/// Compares how two configurations answer requests, and finds a request for each difference.
///
/// One request of each class that both treat alike is examined, with one token, so no difference is missed. Both
/// configurations judge it with the code that judges traffic, so no difference is invented. Each token counts as signed
/// with a key of the issuer that it names.
public struct PolicyComparison {
    private let old: PolicySide
    private let new: PolicySide
    private let classes: RequestClasses
    private let search: TokenSearch
    private var found: FoundDifferences
    /// Cache: whether the old and the new resource judge tokens alike, apart from the requirements of rules.
    private var alike: [ResourcePair: Bool] = [:]
    private var identities: [ResourcePair: [IssuerIdentity]] = [:]
    /// Descriptions of comparisons that were not completed, because a limit was hit.
    public private(set) var undecided: [String] = []
    /// Requests whose verdicts are not those that their token was made for. Each is a defect of Bearward.
    public private(set) var contradictions: [String] = []
    /// Number of requests that both configurations have judged.
    public private(set) var judgements = 0

    /// Time at which tokens are judged.
    public static let time = PolicySide.time

    private struct ResourcePair: Hashable {
        let old: ResourceIndex?
        let new: ResourceIndex?
    }

    /// - Throws: `PlaceConflict` if two resources of one configuration have the same place, which no valid
    ///   configuration has.
    public init(_ old: Configuration, _ new: Configuration) throws(PlaceConflict) {
        self.old = try PolicySide(old)
        self.new = try PolicySide(new)
        classes = RequestClasses(self.old, self.new)
        search = TokenSearch(at: Int64(Self.time.seconds))
        found = FoundDifferences(old, new)
        if classes.areMissing { undecided.append("the rules name too many paths") }
        for request in classes.classes { compare(request) }
    }

    /// All differences: now allowed first, then by kind. Those of one kind are in the order of the requests.
    public var differences: [Difference] {
        Difference.Kind.allCases.flatMap { kind in found.differences.filter { $0.kind == kind } }
    }

    // MARK: One request

    private mutating func compare(_ request: RequestClass) {
        let pair = ResourcePair(old: request.old?.resource, new: request.new?.resource)
        let isAlike =
            isAlike(pair, request) && hasSamePolicy(request) && hasSameMode(request) && hasSameForwarding(request)
        if isAlike, !request.hasEncodedSlashes { return }
        let bare = judge(request, .none)
        if isAlike, bare.old.isClosed == bare.new.isClosed { return }
        judge(request, .broken)
        for fields in tokenFields(request) {
            for identity in identities(pair, request) {
                for variant in variants(of: request) {
                    let sides = (
                        before: Terms(old, variant.old, variant.oldRule, identity, fields, bare: bare.old),
                        after: Terms(new, variant.new, variant.newRule, identity, fields, bare: bare.new)
                    )
                    compare(variant, sides.before, sides.after, identity, fields)
                }
            }
        }
    }

    private mutating func compare(
        _ request: RequestClass, _ before: Terms, _ after: Terms, _ identity: IssuerIdentity, _ fields: TokenFields
    ) {
        let pair = FoundDifferences.Pair(old: before.key, new: after.key)
        if !found.has(.nowAllowed, of: pair) {
            let tests = [identity.test, after.forwarded, before.forwarded.negated(knowing: after.forwarded)]
            look(for: tests, request, fields, forwardedBy: (old: false, new: true))
        }
        if !found.has(.nowRefused, of: pair) {
            let tests = [identity.test, before.forwarded, after.forwarded.negated(knowing: before.forwarded)]
            look(for: tests, request, fields, forwardedBy: (old: true, new: false))
        }
        for way in before.ways(knowing: after.permitted) {
            for other in after.ways(knowing: before.permitted) {
                compare(request, way, other, identity, fields, pair)
            }
        }
    }

    /// Compares how upstreams see requests that both files forward, for one case of each file.
    private mutating func compare(
        _ request: RequestClass, _ before: Terms.Way, _ after: Terms.Way, _ identity: IssuerIdentity,
        _ fields: TokenFields,
        _ pair: FoundDifferences.Pair
    ) {
        guard before.test != .always(false), after.test != .always(false) else { return }
        let both = [identity.test, before.test, after.test]
        let seesToken = before.issuer != nil
        if !hasSameForwarding(request) || seesToken != (after.issuer != nil) {
            look(for: both, request, fields, forwardedBy: (old: true, new: true))
        }
        for name in fieldNames(request) where !found.has(.changed(.field(name)), of: pair) {
            for test in differing(name, request, before, after) where !found.has(.changed(.field(name)), of: pair) {
                look(for: both + [test], request, fields, forwardedBy: (old: true, new: true))
            }
        }
    }

    /// Searches for a token that meets the tests, and judges the request with it.
    ///
    /// - Parameter forwardedBy: whether each file forwards a request with such a token, if the search is right.
    private mutating func look(
        for tests: [TokenTest], _ request: RequestClass, _ fields: TokenFields, forwardedBy: (old: Bool, new: Bool)
    ) {
        switch search.token(tests) {
        case .found(let token):
            let seen = judge(request, .token(token, in: fields))
            guard (seen.old.isForwarded, seen.new.isForwarded) != (forwardedBy.old, forwardedBy.new) else { return }
            let text =
                "\(request.method) \(request.url): no token was found that shows the difference between its rules"
            if Self.contradict(seen.old, seen.new, token, tests) {
                contradictions.append(text)
            } else {
                note(undecided: text)
            }
        case .none: return
        case .undecided:
            note(undecided: "\(request.method) \(request.url): its rules have too many alternatives")
        }
    }

    /// True if unexpected verdicts prove a defect of Bearward: the token meets the tests, and nothing else decided.
    ///
    /// False if the search made a token that does not meet the tests.
    static func contradict(_ old: JudgedRequest, _ new: JudgedRequest, _ token: LeastToken, _ tests: [TokenTest])
        -> Bool
    {
        token.meets(tests, at: time) && old.isByTests && new.isByTests
    }

    private mutating func note(undecided text: String) {
        if !undecided.contains(text) { undecided.append(text) }
    }

    /// Has both configurations judge a request, and keeps it if they differ.
    @discardableResult
    private mutating func judge(_ request: RequestClass, _ credentials: WitnessCredentials) -> (
        old: JudgedRequest, new: JudgedRequest
    ) {
        let witness = Witness(method: request.method, url: request.url, credentials: credentials)
        judgements += 1
        let before = old.verdict(on: witness, at: Self.time)
        let after = new.verdict(on: witness, at: Self.time)
        found.note(witness, before, after)
        return (before, after)
    }

    // MARK: Requests that are alike anyway

    private mutating func isAlike(_ pair: ResourcePair, _ request: RequestClass) -> Bool {
        if let known = alike[pair] { return known }
        let isAlike =
            if let before = request.old?.terms, let after = request.new?.terms {
                takesAlike(before, after)
            } else {
                false
            }
        alike[pair] = isAlike
        return isAlike
    }

    private func takesAlike(_ before: ProtectedResource, _ after: ProtectedResource) -> Bool {
        guard Set(before.tokenPlaces) == Set(after.tokenPlaces), passAlike(before, after),
            before.keepsPathParameters == after.keepsPathParameters,
            before.encodedSlashes == after.encodedSlashes
        else { return false }
        return accepted(before, old) == accepted(after, new)
    }

    /// True if both pass the client's own `Authorization`, and refuse the same tokens in it, or if neither passes it.
    private func passAlike(_ before: ProtectedResource, _ after: ProtectedResource) -> Bool {
        guard before.passesAuthorization == after.passesAuthorization else { return false }
        func texts(_ side: PolicySide) -> Set<String> { Set(side.issuers.flatMap(\.identifiers).map(\.description)) }
        return !before.passesAuthorization || texts(old) == texts(new)
    }

    /// Issuers that a resource accepts, with the rules for their tokens. Without texts for people, and sorted, so that
    /// order makes no difference.
    private func accepted(_ resource: ProtectedResource, _ side: PolicySide) -> [AcceptedTerms] {
        var terms: [AcceptedTerms] = []
        for accepted in resource.issuers {
            guard var issuer = side.issuers[accepted.issuer] else { continue }
            issuer.hints = []
            issuer.refusedIdentifiers = []
            issuer.authorizationServers = []
            terms.append(AcceptedTerms(issuer: issuer, audiences: Set(accepted.audiences.map { Array($0.utf8) })))
        }
        return terms.sorted { $0.issuer.name < $1.issuer.name }
    }

    private struct AcceptedTerms: Equatable {
        let issuer: TrustedIssuer
        let audiences: Set<[UInt8]>
    }

    private func hasSamePolicy(_ request: RequestClass) -> Bool {
        guard let before = request.oldRule, let after = request.newRule else { return false }
        return before.policy == after.policy && before.positions == after.positions
    }

    /// Whether both files enforce the rule of a request, observe it, or refuse the request for maintenance.
    private func hasSameMode(_ request: RequestClass) -> Bool {
        request.old?.isObserved(request.oldRule) == request.new?.isObserved(request.newRule)
            && request.old?.isInMaintenance(request.oldRule) == request.new?.isInMaintenance(request.newRule)
    }

    /// Whether the upstream sees no difference if both files forward the request.
    private func hasSameForwarding(_ request: RequestClass) -> Bool {
        guard let before = request.old, let after = request.new, before.segments == after.segments,
            let upstream = old.upstream(before), let other = new.upstream(after)
        else { return false }
        return Set(upstream.addresses) == Set(other.addresses) && upstream.hostOverride == other.hostOverride
            && before.terms.stripsPrefix == after.terms.stripsPrefix
            && before.terms.forwardedAuthorization == after.terms.forwardedAuthorization
            && Set(before.terms.tokenPlaces) == Set(after.terms.tokenPlaces)
            && Set(before.terms.identityFields) == Set(after.terms.identityFields)
    }

    // MARK: Tokens to search for

    /// Sets of header fields to put the token in. If both files look in the same fields, one of them stands for each,
    /// and two for a request that a file refuses wherever it looks for a token. Otherwise all sets of one, two or
    /// three: a file refuses two of its own, and ignores those of the other. If a file passes `Authorization`, the
    /// token is put there too, and other credentials beside each set.
    private func tokenFields(_ request: RequestClass) -> [TokenFields] {
        let terms = [request.old, request.new].compactMap { $0?.terms }
        guard let first = terms.first?.tokenPlaces, let last = terms.last?.tokenPlaces else {
            return [TokenFields(places: [])]
        }
        let passes = terms.contains(where: \.passesAuthorization)
        guard passes || Set(first) != Set(last) else {
            let sets = first.count > 1 ? [Array(first.prefix(1)), Array(first.prefix(2))] : [first]
            return sets.map { TokenFields(places: $0) }
        }
        var all = first + last.filter { !first.contains($0) }
        if passes, !all.contains(.authorization) { all.append(.authorization) }
        var sets: [[TokenPlace]] = [[]]
        for place in all { sets += sets.filter { $0.count < 3 }.map { $0 + [place] } }
        let filled = sets.filter { !$0.isEmpty }.sorted { $0.count < $1.count }
        let others = passes ? filled.filter { !$0.contains(.authorization) } : []
        return filled.map { TokenFields(places: $0) } + others.map { TokenFields(places: $0, hasOthers: true) }
    }

    private mutating func identities(_ pair: ResourcePair, _ request: RequestClass) -> [IssuerIdentity] {
        if let known = identities[pair] { return known }
        let all = IssuerIdentity.all(of: trusted(request.old, old) + trusted(request.new, new))
        identities[pair] = all
        return all
    }

    private func trusted(_ place: RequestPlace?, _ side: PolicySide) -> [TrustedIssuer] {
        // A token of any issuer of the file is refused in a passed `Authorization`.
        if place?.terms.passesAuthorization == true { return Array(side.issuers) }
        return place?.terms.issuers.compactMap { side.issuers[$0.issuer] } ?? []
    }

    private func fieldNames(_ request: RequestClass) -> [String] {
        let fields = [request.old, request.new].flatMap { $0?.terms.identityFields ?? [] }
        return Set(fields.map { String(decoding: $0.name.spelling, as: UTF8.self).lowercased() }).sorted()
    }

    /// Tests for tokens with which the two files may send different values of an identity field.
    private func differing(_ name: String, _ request: RequestClass, _ before: Terms.Way, _ after: Terms.Way)
        -> [TokenTest]
    {
        // An anonymous request has no identity fields.
        let old = before.issuer == nil ? nil : request.old?.terms.value(ofField: name)
        let new = after.issuer == nil ? nil : request.new?.terms.value(ofField: name)
        if old == new, let issuer = before.issuer, let other = after.issuer, issuer.readsLike(other) { return [] }
        let texts = ["any-text"] + (request.oldRule?.policy.texts ?? []) + (request.newRule?.policy.texts ?? [])
        return IdentityValue.differing(old, before.issuer, new, after.issuer, texts: texts)
    }

    // MARK: Names in the path

    private static let mostVariants = 64

    /// The request, and variants with other names in those path segments that a rule compares with the token's
    /// organization.
    private mutating func variants(of request: RequestClass) -> [RequestClass] {
        let positions = Set((request.oldRule?.positions ?? []) + (request.newRule?.positions ?? [])).sorted()
        guard !positions.isEmpty else { return [request] }
        let names = organizations(request)
        var paths = [request.segments]
        for position in positions where request.segments.indices.contains(position) {
            paths += paths.flatMap { path in
                names.map { name in
                    var path = path
                    path[position] = Array(name.utf8)  // in bounds: the loop's condition
                    return path
                }
            }
            guard paths.count <= Self.mostVariants else {
                note(undecided: "\(request.method) \(request.url): its rules name too many organizations")
                break
            }
        }
        return [request] + paths.dropFirst().compactMap { classes.variant(of: request, $0) }
    }

    /// Names of organizations to try: those in the two files' rules for this request, and one that neither names.
    private func organizations(_ request: RequestClass) -> [String] {
        let issuers = trusted(request.old, old) + trusted(request.new, new)
        let claims = Set(issuers.flatMap(\.organizationClaims))
        let parts = (request.oldRule?.policy.parts ?? []) + (request.newRule?.policy.parts ?? [])
        var names: [String] = ["any-organization"]
        for fact in parts.flatMap(\.facts) {
            switch fact {
            case .named(.organization, _): names += fact.texts
            case .claim(let path, let test) where claims.contains(path):
                names += fact.texts
                if case .held(let choice) = test { names += choice.patterns.compactMap(Self.text) }
            case .claim, .named: break
            }
        }
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// The shortest text that a pattern accepts. Nil if none was found.
    private static func text(for pattern: ClaimPattern) -> String? {
        guard case .found(let text) = TextSearch(required: [.pattern(pattern)], forbidden: []).shortest() else {
            return nil
        }
        return text
    }
}

extension AccessPolicy {
    /// All texts that the policy requires, of any attribute or claim.
    fileprivate var texts: [String] { parts.flatMap(\.facts).flatMap(\.texts) }
}

extension ProtectedResource {
    /// Part of the identity that a header field carries, by the field's name in lower case. Nil if there is no such
    /// field.
    fileprivate func value(ofField name: String) -> IdentityValue? {
        identityFields.first { String(decoding: $0.name.spelling, as: UTF8.self).lowercased() == name }?.value
    }
}

extension TrustedIssuer {
    /// Whether both issuers read the same parts of the identity from the same claims.
    fileprivate func readsLike(_ other: TrustedIssuer) -> Bool {
        scopeClaims == other.scopeClaims && scopePrefix == other.scopePrefix
            && scopeSeparator == other.scopeSeparator && roleClaims == other.roleClaims
            && clientClaims == other.clientClaims && organizationClaims == other.organizationClaims
            && organizationAudiencePrefix == other.organizationAudiencePrefix && tenantClaims == other.tenantClaims
            && realms == other.realms
            && subject == other.subject
    }
}

extension PolicySide {
    /// The upstream that a request goes to. Nil if it goes to none.
    func upstream(_ place: RequestPlace) -> UpstreamGroup? {
        place.upstream.flatMap { place.terms.upstreams[$0] }.flatMap { configuration.upstreams[$0] }
    }
}
