import HTTPMessages
import IdentityFields
import RequestAuthorization
import TokenVerification

/// Reads `forward`: what of the credentials and of the verified identity goes on to the upstream.
struct ForwardReader {
    struct Forwarding {
        var keepsAuthorization = false
        var fields: [IdentityField] = []
    }

    private var forwarding = Forwarding()
    private var taken: [[UInt8]: Position] = [:]

    static func read(_ value: Value?) -> Forwarding {
        guard let value, let section = Section(value, of: ForwardKey.self) else { return Forwarding() }
        var reader = ForwardReader()
        reader.forwarding.keepsAuthorization = section.word(.authorization, ForwardKey.Authorization.self).value == .keep
        reader.readIdentity(section[.identity])
        reader.readClaims(section[.claims])
        return reader.forwarding
    }

    /// In file order, which is the order of the fields.
    private mutating func readIdentity(_ value: Value?) {
        guard let value, Section(value, of: IdentityKey.self) != nil else { return }
        for member in value.members() ?? [] {
            guard let identity = IdentityKey(rawValue: member.key) else { continue }
            append(identity.value, named: member.value)
        }
    }

    private mutating func readClaims(_ value: Value?) {
        for member in value?.members(expected: "a mapping of claims to field names") ?? [] {
            guard let path = member.claimPath() else { continue }
            append(.claim(path), named: member.value)
        }
    }

    private mutating func append(_ value: IdentityValue, named name: Value) {
        guard let field = Self.fieldName(name) else { return }
        if let first = taken[field.folded] {
            name.report("the field `\(String(decoding: field.spelling, as: UTF8.self))` is already filled at \(first)")
            return
        }
        taken[field.folded] = name.node.position
        forwarding.fields.append(IdentityField(value, name: field))
    }

    private static func fieldName(_ value: Value) -> FieldName? {
        guard let text = value.someText(expected: "a field name such as `X-Auth-Subject`") else { return nil }
        guard let name = FieldName(text) else {
            value.report("`\(text)` is not a field name (RFC 9110 §5.1)")
            return nil
        }
        guard let known = KnownField.allCases.first(where: { FieldName($0).folded == name.folded }) else { return name }
        value.report("`\(text)` \(reason(known))", hint: "use a name of your own, such as `X-Auth-Subject`")
        return nil
    }

    /// Why a field is not free. What is no letter or digit counts as `-`, as it does to upstreams that make variables
    /// of names.
    private static func reason(_ field: KnownField) -> String {
        if field.isFraming { return "says where a body ends, so no identity can go there" }
        if field.isHopByHop { return "ends at the next hop, so no identity can go there" }
        if field == .proxy { return "names the proxy to use for programs behind CGI, so no identity can go there" }
        if field.isForwarding { return "says what earlier proxies saw, so no identity can go there" }
        return "has a meaning of its own in HTTP, so no identity can go there"
    }
}
