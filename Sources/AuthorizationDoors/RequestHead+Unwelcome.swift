import HTTPMessages
import RequestAuthorization

extension RequestHead {
    /// Names of the request's fields, in the client's spelling, that the gateway itself would not forward.
    ///
    /// These are identity fields as a lax reader may spell them, and fields that ask for another method or path than
    /// was judged. Statements that only a proxy may make are included too. Fields that Envoy writes itself are
    /// excluded. `Upgrade` is included, unless it asks for WebSocket alone: unjudged requests could follow an upgrade.
    func unwelcomeNames(_ edits: HeaderEdits, isOfTrusted: Bool) -> [FieldName] {
        var names: Set<FieldName> =
            contains(.upgrade) && !upgradesToWebSocket ? [FieldName(.upgrade), FieldName(.connection)] : []
        for field in section.fields where isUnwelcome(field, edits, isOfTrusted: isOfTrusted) {
            // in bounds: of the head
            if let name = FieldName(String(decoding: bytes[field.name], as: UTF8.self)) { names.insert(name) }
        }
        return Array(names)
    }

    private func isUnwelcome(_ field: HeaderField, _ edits: HeaderEdits, isOfTrusted: Bool) -> Bool {
        if edits.removes(field, of: self) { return true }
        if let known = field.known {
            // The forward auth proxy writes these itself.
            let isOfProxy = [.xForwardedFor, .xForwardedProto, .xRequestID, .via].contains(known)
            return known.isNeverForwarded || known.isForwarding && !isOfProxy && !isOfTrusted
        }
        if let known = field.lookAlike {
            return known.isForwarding || known.overridesRequestLine || known == .authorization || known == .xRequestID
        }
        return switch proxyField(field) {
        case nil, .trace: false
        case .name: !isOfTrusted && !isEnvoys(field)
        case .lookAlike: true
        }
    }

    private func isEnvoys(_ field: HeaderField) -> Bool {
        let name = String(decoding: bytes[field.name], as: UTF8.self).lowercased()  // in bounds: of the head
        return name.hasPrefix("x-envoy-") || name == "x-forwarded-client-cert"
    }
}
