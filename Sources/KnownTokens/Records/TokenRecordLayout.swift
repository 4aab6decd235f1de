import AccessControl
import Callers
import HTTPMessages
import TokenVerification

/// Contents of cache records under one configuration; builds the record of a verified token.
struct TokenRecordLayout: Sendable {
    /// Facts that are determined for the tokens of one issuer.
    private struct Questions: Sendable {
        /// Facts that are true if the token has a name, such as a scope or role.
        var names: [TokenAttribute: [[UInt8]: [TokenAtom]]] = [:]
        /// Facts that are true if a claim has one of several values.
        var claims = ClaimIndex<TokenAtom>()
        /// Facts that a lookup of values cannot decide: patterns, claims of array elements, and claims that must not be
        /// present.
        var others: [(test: TokenTest, atom: TokenAtom)] = []
        /// Facts that were already added.
        var asked: Set<TokenAtom> = []
        /// Resources that accept the issuer's tokens, with the required audiences.
        var openings: [Opening] = []

        /// Adds a fact, which is determined as ``TokenFact/test(of:)`` does.
        mutating func ask(_ fact: TokenFact, _ atom: TokenAtom, of issuer: TrustedIssuer) {
            guard asked.insert(atom).inserted else { return }
            switch fact {
            case .named(let attribute, let list):
                // Compared as bytes: Swift strings are also equal if they only look equal.
                for name in list {
                    names[attribute, default: [:]][Array(name.description.utf8), default: []].append(atom)
                }
            case .claim(let path, .held(let choice)) where choice.patterns.isEmpty && !path.isMultiple:
                claims.insert(atom, at: path, oneOf: choice.values)
            case .claim: others.append((fact.test(of: issuer), atom))
            }
        }
    }

    private struct Opening: Sendable {
        let audiences: [String]
        let atom: TokenAtom
        let identityPlace: Int?
    }

    /// Facts that one resource requires of a record. A class, so that requests share it.
    final class Resource: Sendable {
        /// The fact that the token's audience names the resource.
        let opening: TokenAtom
        let routes: RouteTable
        let policies: IndexedBy<RuleIndex, RecordPolicy>
        /// Index of the identity lines that the resource forwards, after the logged values. Nil if it forwards none.
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
    /// Lists of identity fields that resources forward, without duplicates; `identityPlace` is an index in it.
    private let identities: [[IdentityField]]
    private let questions: IndexedBy<IssuerIndex, Questions>
    private let callers: CallerQuestions
    /// Values that records keep for the access log. Mostly empty.
    private let logged: [LoggedMember]
    /// Digests of the deny list. Nil if there is none; records then have no marks.
    private let denyDigests: DenyDigests?

    init(
        _ resources: IndexedBy<ResourceIndex, KnownResource>, issuers: IndexedBy<IssuerIndex, TrustedIssuer>,
        callers: CallerQuestions, logged: [LoggedMember],
        denyDigests: DenyDigests? = nil
    ) {
        self.callers = callers
        self.logged = logged
        self.denyDigests = denyDigests
        var catalogue = TokenAtomCatalogue()
        var identities: [[IdentityField]] = []
        let asked = resources.mapped { resource in
            let fields = resource.identityFields
            let known = identities.firstIndex { Self.areWritten(fields, as: $0) }
            if !fields.isEmpty, known == nil { identities.append(fields) }
            let place = known ?? (fields.isEmpty ? nil : identities.count - 1)
            let terms = Resource(
                resource, opening: catalogue.next(), &catalogue, identityPlace: place.map { $0 + logged.count })
            return (place: place, terms: terms)
        }
        self.resources = asked.mapped { $0.terms }
        self.identities = identities
        var questions = issuers.mapped { _ in Questions() }
        for (resource, (identityPlace, asked)) in zip(resources, asked) {
            for accepted in resource.issuers {
                questions.update(accepted.issuer) { questions in
                    questions.openings.append(
                        Opening(audiences: accepted.audiences, atom: asked.opening, identityPlace: identityPlace))
                    guard let issuer = issuers[accepted.issuer] else { return }
                    for fact in resource.policies.flatMap(\.parts).flatMap(\.facts) {
                        catalogue.atoms[fact].map { questions.ask(fact, $0, of: issuer) }
                    }
                }
            }
        }
        self.questions = questions
    }

    /// Builds the cache record of a token. Nil if it would be too long, or the cryptographic library failed.
    func record(of token: VerifiedToken, issuer: IssuerIndex, keySet: KeySetIndex, keyEpoch: UInt64) -> [UInt8]? {
        guard let questions = questions[issuer], let expiration = token.expiration,
            let keySetWord = UInt32(exactly: keySet.rawValue), let issuerWord = UInt16(exactly: issuer.rawValue)
        else { return nil }
        let denyMarks = denyDigests.map { $0.marks(of: token) }
        // Without its marks, a denied token would be taken for one that is not.
        if case .some(nil) = denyMarks { return nil }
        let audiences = token.audiences
        let openings = questions.openings.filter { audiences.include(anyOf: $0.audiences) }
        var atoms = atoms(of: token, questions)
        for opening in openings { atoms.insert(opening.atom) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(384)
        bytes.append(word: keySetWord)
        bytes.append(word: issuerWord)
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
        for member in logged { Self.append(member.value(in: token.claims, of: token.verifier)?.recorded, to: &bytes) }
        bytes.append(contentsOf: identities)
        return bytes.count <= TokenRecordBytes.mostBytes ? bytes : nil
    }

    private func flags(of token: VerifiedToken, hasDenyMarks: Bool) -> TokenRecord.Flags {
        var flags: TokenRecord.Flags = hasDenyMarks ? .hasDenyMarks : []
        if token.verifier.issuer.maxLifetime != nil, !token.saysWhenIssued { flags.insert(.lifetimeCountsFromNow) }
        if token.isOnlyForOrganizationRules { flags.insert(.isOnlyForOrganizationRules) }
        if token.authenticationTime != nil { flags.insert(.hasAuthenticationTime) }
        flags.insert(.subjectClaim(token.subjectClaim ?? 0))
        return flags
    }

    private func atoms(of token: VerifiedToken, _ questions: Questions) -> TokenAtoms {
        var atoms = TokenAtoms([])
        for (attribute, index) in questions.names {
            for name in attribute.names(in: token) { index[Array(name.utf8)]?.forEach { atoms.insert($0) } }
        }
        questions.claims.forEachAnswer(in: token.claims.json) { atoms.insert($0) }
        for (test, atom) in questions.others where test.holds(for: token.claims) { atoms.insert(atom) }
        return atoms
    }

    private static func appendTexts(of token: VerifiedToken, sharedWith identities: [UInt8], to bytes: inout [UInt8]) {
        // An organization is compared, so it is not cut.
        let organization = token.organization.map { Array($0.utf8) }
        let texts = [token.keyID, token.subject, token.clientID, token.tokenID].map {
            $0.map { Array($0.utf8.prefix(TokenRecordBytes.longestText)) }
        }
        for text in texts + [organization] {
            // Logged texts are mostly part of the forwarded ones, so share their bytes.
            if let text, text.count > 4, let start = start(of: text, in: identities) {
                bytes.append(word: TokenRecord.Marker.shared | UInt16(truncatingIfNeeded: text.count))
                bytes.append(word: UInt16(truncatingIfNeeded: identities.count - start))
            } else {
                append(text, to: &bytes)
            }
        }
    }

    /// First offset of a text in the bytes. Nil if they do not contain it. Allocates nothing, unlike the standard
    /// library's search; the text and the bytes are short.
    private static func start(of text: [UInt8], in bytes: [UInt8]) -> Int? {
        guard text.count <= bytes.count else { return nil }
        return (0...bytes.count - text.count).first { bytes[$0..<$0 + text.count].elementsEqual(text) }
    }

    /// The identity lines, ready to be sent, for the resources that accept the token.
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

    /// True if two lists of fields result in the same bytes. Field names are equal in any case, but are sent as they
    /// are spelled.
    private static func areWritten(_ fields: [IdentityField], as other: [IdentityField]) -> Bool {
        fields == other && fields.map(\.name.spelling) == other.map(\.name.spelling)
    }

    private static func append(_ text: [UInt8]?, to bytes: inout [UInt8]) {
        guard let text else { return bytes.append(word: TokenRecord.Marker.absent) }
        bytes.append(word: UInt16(truncatingIfNeeded: text.count))
        bytes.append(contentsOf: text)
    }
}

extension LoggedValue {
    /// The value as a record keeps it: one byte for its form, then the value's.
    fileprivate var recorded: [UInt8] { [isText ? 1 : 0] + bytes }

    init?(recorded: ArraySlice<UInt8>) {
        guard let form = recorded.first else { return nil }
        self.init(bytes: Array(recorded.dropFirst()), isText: form == 1)
    }
}
