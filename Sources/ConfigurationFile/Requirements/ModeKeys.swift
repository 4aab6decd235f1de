/// The keys of `mode`.
enum ModeKey: String, ConfigurationKey {
    case observe

    /// The mode of a rule whose resource has another.
    static let enforce = "enforce"

    static let form = ValueForm.oneOf([.words([enforce]), .section(section)])

    static let section = SectionReference(
        "mode",
        "Whether requests that a rule does not permit are refused (`enforce`), or forwarded and told of until a day.",
        of: ModeKey.self)

    var reference: KeyReference {
        KeyReference(
            .section(ObserveKey.section), .refused(hint: ObserveKey.example),
            "Forwards requests that would be 401, 403 or, for want of keys or introspection, 503: without their token and "
                + "without an identity. Logs and metrics say what would have become of them.",
            example: "{until: 2099-12-24}")
    }
}

/// The keys of `observe`.
enum ObserveKey: String, ConfigurationKey {
    case until

    static let example = "write {observe: {until: 2026-12-24}}"

    static let section = SectionReference(
        "observe", "How long a rule is only observed. It then enforces, without a reload.", of: ObserveKey.self)

    var reference: KeyReference {
        KeyReference(
            .text("a day, or a time as RFC 3339 writes it"), .refused(hint: Self.example),
            "From when on requests are refused. A day begins at midnight UTC. `bearward check` warns from seven days before.",
            example: "2099-12-24")
    }
}
