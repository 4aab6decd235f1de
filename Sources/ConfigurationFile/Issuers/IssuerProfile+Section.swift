import IssuerProfiles

extension IssuerProfile {
    /// Its parameters between `profile` and the keys of every issuer.
    var section: SectionReference {
        SectionReference("profile: \(rawValue)", "An issuer of \(title).") {
            let profile = KeyReference(
                .words([rawValue]), .refused(hint: "write `profile: \(rawValue)`"), "The identity system.",
                example: rawValue)
            return [NamedKey(name: IssuerKey.profile.rawValue, reference: profile)]
                + parameters.map { NamedKey(name: $0.name, reference: $0.reference) }
                + IssuerKey.shared.map(shared)
        }
    }
}

extension IssuerProfile {
    /// A key of every issuer, as it is for this one.
    fileprivate func shared(_ key: IssuerKey) -> NamedKey {
        let usual = key.reference
        var reference = usual
        switch key {
        case .jwksURI where namesKeySets, .jwksFile where namesKeySets:
            let one = ValueForm.text(key == .jwksURI ? "a URL" : "a path")
            let form = ValueForm.oneOf([one, .mapping(of: .text("a key set's name"), to: one)])
            reference = KeyReference(form, usual.absence, usual.text, example: usual.example)
        // Some systems have nobody to ask about opaque tokens.
        case .opaque where !answersIntrospection:
            reference = KeyReference(.words(["reject"]), usual.absence, "Opaque tokens are refused.", example: "reject")
        default: break
        }
        return NamedKey(name: key.rawValue, reference: reference)
    }
}

extension ProfileParameter {
    fileprivate var reference: KeyReference {
        KeyReference(valueForm, keyAbsence, advice.prefix(1).uppercased() + advice.dropFirst() + ".", example: example)
    }

    private var keyAbsence: KeyAbsence {
        switch absence {
        case .refused: .refused(hint: "write \(advice)")
        case .value(let value): .value(value)
        case .meaning(let meaning): .meaning(meaning)
        }
    }

    private var valueForm: ValueForm {
        switch form {
        case .text: .text("text")
        case .words(let words): .words(words)
        case .texts: .list(.text("text"))
        case .boolean: .boolean
        case .duration: .duration(ProfileReader.durations)
        }
    }
}
