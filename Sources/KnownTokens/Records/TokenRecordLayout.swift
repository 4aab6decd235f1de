import AccessControl
import CallerKeys
import DenyLists
import HTTPMessages
import IdentityFields
import TokenVerification
import TypedIndices

/// What records hold under one configuration, and how a verified token becomes one.
struct TokenRecordLayout: Sendable {
    /// What one issuer's tokens are asked.
    private struct Questions: Sendable {
        var scopes: [[UInt8]: TokenAtom] = [:]
        var roles: [[UInt8]: TokenAtom] = [:]
        var clients: [[UInt8]: [TokenAtom]] = [:]
        var organizations: [[UInt8]: [TokenAtom]] = [:]
        /// Of claims, the authentication context among them.
        var claims = ClaimIndex<TokenAtom>()
        /// What no value alone decides: patterns, and what must not be there.
        var others: [(requirement: Requirement, atom: TokenAtom)] = []
        /// What is asked already.
        var asked: Set<TokenAtom> = []
        /// Which resources take its tokens, under which audiences.
        var openings: [Opening] = []

        /// Asks for what one value of a token decides, as ``Requirement/isMet(in:)`` does.
        mutating func ask(_ requirement: Requirement, _ atom: TokenAtom, contextClass: ClaimPath?) {
            switch requirement {
            case .claim(let path, let values): claims.insert(atom, at: path, oneOf: values)
            case .authenticationContext(let classes):
                if let contextClass { claims.insert(atom, at: contextClass, oneOf: classes.map { .string($0) }) }
            case .client(let names): for name in names { clients[Array(name.utf8), default: []].append(atom) }
            case .organization(.oneOf(let names)):
                for name in names { organizations[Array(name.utf8), default: []].append(atom) }
            case .claimMatching, .claimOtherThan, .noClaims, .issuer: others.append((requirement, atom))
            // Asked by scope and role, or by path and time on each request; alternatives by their parts.
            case .allScopes, .anyScope, .scope, .anyRole, .organization(.pathParameter), .maxAge, .anyOf: break
            }
        }
    }

    private struct Opening: Sendable {
        let audiences: [String]
        let atom: TokenAtom
        let identityPlace: Int?
    }

    /// What one resource requires of a record. A class, so that requests share it.
    final class Resource: Sendable {
        /// That the token's audience is the resource's.
        let opening: TokenAtom
        let routes: RouteTable
        let policies: IndexedBy<RuleIndex, RecordPolicy>
        /// The index of the identity lines that it forwards; nil: it forwards none.
        let identityPlace: Int?

        init(_ resource: KnownResource, opening: TokenAtom, _ catalogue: inout TokenAtomCatalogue, identityPlace: Int?)
        {
            self.opening = opening
            routes = resource.routes
            policies = resource.policies.mapped { RecordPolicy($0, &catalogue) }
            self.identityPlace = identityPlace
        }
    }

    let resources: IndexedBy<ResourceIndex, Resource>
    /// Which identity fields resources forward, each choice once, in the order of their indices.
    private let identities: [[IdentityField]]
    private let questions: IndexedBy<IssuerIndex, Questions>
    private let callers: CallerQuestions
    /// nil: there is no deny list, and records have nothing for one.
    private let denyDigests: DenyDigests?

    init(
        _ resources: IndexedBy<ResourceIndex, KnownResource>, issuers: IndexedBy<IssuerIndex, TrustedIssuer>,
        callers: CallerQuestions,
        denyDigests: DenyDigests? = nil
    ) {
        self.callers = callers
        self.denyDigests = denyDigests
        var catalogue = TokenAtomCatalogue()
        var identities: [[IdentityField]] = []
        let asked = resources.mapped { resource in
            let fields = resource.identityFields
            let known = identities.firstIndex { Self.areWritten(fields, as: $0) }
            if !fields.isEmpty, known == nil { identities.append(fields) }
            let place = known ?? (fields.isEmpty ? nil : identities.count - 1)
            return Resource(resource, opening: catalogue.next(), &catalogue, identityPlace: place)
        }
        self.resources = asked
        self.identities = identities
        var questions = issuers.mapped { _ in Questions() }
        for (resource, asked) in zip(resources, asked) {
            for accepted in resource.issuers {
                questions.update(accepted.issuer) { questions in
                    questions.openings.append(
                        Opening(audiences: accepted.audiences, atom: asked.opening, identityPlace: asked.identityPlace))
                    let contextClass = issuers[accepted.issuer]?.contextClassClaim
                    Self.collect(resource.policies, catalogue, contextClass: contextClass, into: &questions)
                }
            }
        }
        self.questions = questions
    }

    private static func collect(
        _ policies: IndexedBy<RuleIndex, AccessPolicy>, _ catalogue: TokenAtomCatalogue, contextClass: ClaimPath?,
        into questions: inout Questions
    ) {
        for policy in policies {
            for requirement in policy.parts {
                switch requirement {
                case .allScopes(let names), .anyScope(let names):
                    for name in names { questions.scopes[Array(name.utf8)] = catalogue.scopes[Array(name.utf8)] }
                case .scope(let name, let others):
                    for name in [name] + others {
                        questions.scopes[Array(name.utf8)] = catalogue.scopes[Array(name.utf8)]
                    }
                case .anyRole(let names):
                    for name in names { questions.roles[Array(name.utf8)] = catalogue.roles[Array(name.utf8)] }
                default:
                    guard let atom = catalogue.requirements[requirement], questions.asked.insert(atom).inserted else {
                        continue
                    }
                    questions.ask(requirement, atom, contextClass: contextClass)
                }
            }
        }
    }

    /// The record of a token, ready to be kept; nil if it would be too long, or the cryptographic library failed.
    func record(of token: VerifiedToken, issuer: IssuerIndex, keySet: KeySetIndex, keyEpoch: UInt64) -> [UInt8]? {
        guard let questions = questions[issuer], let expiration = token.expiration else { return nil }
        let denyMarks = denyDigests.map { $0.marks(of: token) }
        // Without its marks a token that is denied would be taken for one that is not.
        if case .some(nil) = denyMarks { return nil }
        let audiences = token.audiences
        let openings = questions.openings.filter { audiences.include(anyOf: $0.audiences) }
        var atoms = atoms(of: token, questions)
        for opening in openings { atoms.insert(opening.atom) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(384)
        bytes.append(word: UInt32(truncatingIfNeeded: issuer.rawValue))
        bytes.append(word: UInt16(truncatingIfNeeded: keySet.rawValue))
        let answers = callers.answers(for: token)
        bytes.append(word: flags(of: token, hasDenyMarks: denyMarks != nil).rawValue)
        bytes.append(UInt8(truncatingIfNeeded: answers.count))
        bytes.append(word: keyEpoch)
        bytes.append(word: expiration.seconds.bitPattern)
        bytes.append(word: token.latestStart.bitPattern)
        guard let wordCount = UInt16(exactly: atoms.words.count) else { return nil }
        bytes.append(word: wordCount)
        if let time = token.authenticationTime { bytes.append(word: time.seconds.bitPattern) }
        denyMarks??.append(to: &bytes)
        for answer in answers {
            bytes.append(word: answer.high)
            bytes.append(word: answer.low)
        }
        for word in atoms.words {
            guard let index = UInt16(exactly: word.index) else { return nil }
            bytes.append(word: index)
            bytes.append(word: word.bits)
        }
        let identities = identities(of: token, at: Set(openings.compactMap(\.identityPlace)))
        guard identities.count <= TokenRecordBytes.mostBytes else { return nil }
        Self.appendTexts(of: token, sharedWith: identities, to: &bytes)
        bytes.append(contentsOf: identities)
        return bytes.count <= TokenRecordBytes.mostBytes ? bytes : nil
    }

    private func flags(of token: VerifiedToken, hasDenyMarks: Bool) -> TokenRecord.Flags {
        var flags: TokenRecord.Flags = hasDenyMarks ? .hasDenyMarks : []
        if token.verifier.issuer.maxLifetime != nil, !token.saysWhenIssued { flags.insert(.lifetimeCountsFromNow) }
        if token.isOnlyForOrganizationRules { flags.insert(.isOnlyForOrganizationRules) }
        if token.authenticationTime != nil { flags.insert(.hasAuthenticationTime) }
        return flags
    }

    private func atoms(of token: VerifiedToken, _ questions: Questions) -> TokenAtoms {
        var atoms = TokenAtoms([])
        if !questions.scopes.isEmpty {
            for scope in token.scopes { questions.scopes[Array(scope.utf8)].map { atoms.insert($0) } }
        }
        if !questions.roles.isEmpty {
            for role in token.roles { questions.roles[Array(role.utf8)].map { atoms.insert($0) } }
        }
        if let client = token.clientID { questions.clients[Array(client.utf8)]?.forEach { atoms.insert($0) } }
        if let organization = token.organization {
            questions.organizations[Array(organization.utf8)]?.forEach { atoms.insert($0) }
        }
        questions.claims.forEachAnswer(in: token.claims.json) { atoms.insert($0) }
        for (requirement, atom) in questions.others where requirement.isMet(by: token) { atoms.insert(atom) }
        return atoms
    }

    private static func appendTexts(of token: VerifiedToken, sharedWith identities: [UInt8], to bytes: inout [UInt8]) {
        // An organisation is compared, so it is kept whole.
        let organization = token.organization.map { Array($0.utf8) }
        let texts = [token.keyID, token.subject, token.clientID, token.tokenID].map {
            $0.map { Array($0.utf8.prefix(TokenRecordBytes.longestText)) }
        }
        for text in texts + [organization] {
            // What is sent is mostly what is logged.
            if let text, text.count > 4, let start = start(of: text, in: identities) {
                bytes.append(word: TokenRecord.Marker.shared | UInt16(truncatingIfNeeded: text.count))
                bytes.append(word: UInt16(truncatingIfNeeded: identities.count - start))
            } else {
                append(text, to: &bytes)
            }
        }
    }

    /// Allocates nothing, unlike the standard library's search, and both are short.
    private static func start(of text: [UInt8], in bytes: [UInt8]) -> Int? {
        guard text.count <= bytes.count else { return nil }
        return (0...bytes.count - text.count).first { bytes[$0..<$0 + text.count].elementsEqual(text) }
    }

    /// The lines that state the identity, ready to be sent, for the resources that accept the token.
    private func identities(of token: VerifiedToken, at places: Set<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        for (place, fields) in identities.enumerated() {
            guard places.contains(place) else {
                Self.append(nil, to: &bytes)
                continue
            }
            var lines: [UInt8] = []
            let fits =
                fields.allSatisfy { $0.append(for: token, to: &lines) } && lines.count < TokenRecord.Marker.shared
            if fits { Self.append(lines, to: &bytes) } else { bytes.append(word: TokenRecord.Marker.tooLong) }
        }
        return bytes
    }

    /// Whether two choices of fields make the same bytes: names are equal whatever their case, and are sent as they are
    /// spelled.
    private static func areWritten(_ fields: [IdentityField], as other: [IdentityField]) -> Bool {
        fields == other && fields.map(\.name.spelling) == other.map(\.name.spelling)
    }

    private static func append(_ text: [UInt8]?, to bytes: inout [UInt8]) {
        guard let text else { return bytes.append(word: TokenRecord.Marker.absent) }
        bytes.append(word: UInt16(truncatingIfNeeded: text.count))
        bytes.append(contentsOf: text)
    }
}
