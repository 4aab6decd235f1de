import IssuerProfiles

extension IssuerProfile {
    /// Section of the profile: `profile`, then its parameters, then the keys of every issuer.
    var section: SectionReference {
        SectionReference("profile: \(rawValue)", "An issuer of \(title).") {
            let keys = keys
            // Key sets with names prove different tokens, and a list of keys could not say which.
            let unfit =
                (namesKeySets ? [keys.pemKeys.name] : []) + (mayOmitAudience ? [] : [keys.withoutAudience.name])
                + (mayHaveRealms ? [] : [keys.realms.name, keys.most.name])
            return [keys.profile.named] + parameters.map(\.key.named) + keys.shared.filter { !unfit.contains($0.name) }
        }
    }

    /// Keys of every issuer, with the changes for this profile.
    private var keys: IssuerKeys {
        var keys = IssuerKeys()
        keys.profile.reference = KeyReference(
            .words([rawValue]), .refused(hint: "write `profile: \(rawValue)`"), "The identity system.",
            example: rawValue)
        if namesKeySets {
            keys.jwksURI.reference.form = Self.ofKeySets(.text("a URL"))
            keys.jwksFile.reference.form = Self.ofKeySets(.text("a path"))
        }
        // Some identity systems have no introspection endpoint.
        if !answersIntrospection {
            keys.opaque.reference = KeyReference(
                .words(["reject"]), keys.opaque.reference.absence, "Opaque tokens are refused.", example: "reject")
        }
        return keys
    }

    private static func ofKeySets(_ one: ValueForm) -> ValueForm {
        .oneOf([one, .mapping(of: .text("a key set's name"), to: one)])
    }
}

extension ProfileParameter {
    var key: Key<ParameterValue> {
        Key(name, keyForm, keyAbsence, advice.prefix(1).uppercased() + advice.dropFirst() + ".", example: example)
    }

    private var keyAbsence: KeyAbsence {
        switch absence {
        case .refused: .refused(hint: "write \(advice)")
        case .value(let value): .value(value)
        case .meaning(let meaning): .meaning(meaning)
        }
    }

    private var keyForm: KeyForm<ParameterValue> {
        switch form {
        case .text: KeyForm.text("text").map { .text($0) }
        // Unknown words are refused by the profile itself.
        case .words(let words): KeyForm(.words(words)) { $0.someText() }.map { .text($0) }
        case .texts: KeyForm(.list(.text("text")), Self.texts).map { .texts($0) }
        case .boolean: KeyForm.boolean.map { .boolean($0) }
        case .duration: KeyForm.duration(.zero ... .seconds(10 * 365 * 86_400)).map { .duration($0) }
        }
    }

    /// Reads texts. Nil if one element is not text.
    private static func texts(_ value: Value) -> [String]? {
        value.someElements(of: "value")?.readEach { $0.someText() }
    }
}
