import Callers
import HTTPMessages
import RequestAuthorization
import TokenVerification

/// Reads `forward`: the parts of the credentials and of the verified identity that are forwarded to the upstream.
struct ForwardReader {
    private let longestIdentity: Int
    private var fields: [IdentityField] = []
    private var taken: [[UInt8]: Position] = [:]

    private init(longestIdentity: Int) {
        self.longestIdentity = longestIdentity
    }

    static func read(_ value: Value?, into terms: inout ProtectedResource) {
        guard let value, let section = Section(value, of: ForwardKeys.self) else { return }
        section.assign(to: &terms)
        var reader = ForwardReader(longestIdentity: terms.longestIdentity)
        if terms.statesClientCertificate {
            for name in [FieldName.clientCertificate, .clientCertificateChain] {
                reader.taken[name.folded] = section[\.clientCertificate]?.node.position
            }
        }
        reader.readIdentity(section[\.identity])
        reader.readClaims(section[\.claims])
        terms.identityFields = reader.fields
    }

    /// Reads `identity` in file order, which is the order of the headers.
    private mutating func readIdentity(_ value: Value?) {
        guard let value, Section(value, of: IdentityKeys.self) != nil else { return }
        let parts = IdentityKeys().all.compactMap { $0 as? IdentityKeys.Part }
        for member in value.members() ?? [] {
            guard let part = parts.first(where: { $0.name == member.key }) else { continue }
            append(part.value, named: member.value)
        }
    }

    private mutating func readClaims(_ value: Value?) {
        for member in value?.members(expected: "a mapping of claims to field names") ?? [] {
            let path = member.claimPath()
            guard member.value.isMapping else {
                Self.warnOfTurnedRound(member)
                if let path { append(.claim(path), named: member.value) }
                continue
            }
            guard let section = Section(member.value, of: ForwardedClaimKeys.self),
                let name = section.required(\.field), let path
            else { continue }
            let choice = section[\.only].flatMap { $0.claimChoice(of: path) }
            append(choice.map { .chosen(path, among: $0) } ?? .claim(path), named: name)
        }
    }

    /// Warns if claim and header name are probably swapped: the claim looks like a header name, and the header name has
    /// no `-`.
    private static func warnOfTurnedRound(_ member: Value.Member) {
        guard member.key.lowercased().hasPrefix("x-"), case .scalar(let field) = member.value.node.content,
            !field.text.contains("-")
        else { return }
        member.warnKey(
            "`\(member.key)` is read as the claim and `\(field.text)` as the header",
            hint:
                "write `\(FlowText.of(field.text)): \(member.key)`, or {field: \(FlowText.of(field.text))} for a claim of that name"
        )
    }

    private mutating func append(_ value: IdentityValue, named name: Value) {
        guard let field = name.fieldName(for: "identity", such: "X-Auth-Subject") else { return }
        if let first = taken[field.folded] {
            name.report("the field `\(String(decoding: field.spelling, as: UTF8.self))` is already filled at \(first)")
            return
        }
        taken[field.folded] = name.node.position
        fields.append(IdentityField(value, name: field, longestValue: longestIdentity))
    }
}
