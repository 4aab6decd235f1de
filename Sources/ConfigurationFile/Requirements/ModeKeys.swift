/// Configuration keys of `mode`.
final class ModeKeys: SectionKeys {
    /// Word for a rule that enforces although its resource is only observed.
    static let enforce = "enforce"

    static let form = KeyForm(.oneOf([.words([enforce]), .section(section)]), ModeReader.read)

    static let section = SectionReference(
        "mode",
        "Whether requests that a rule does not permit are refused (`enforce`), or forwarded and reported until a day.",
        of: ModeKeys.self)

    let observe = Key(
        "observe",
        KeyForm(.section(ObserveKeys.section)) { Section($0, of: ObserveKeys.self)?.required(\.until) },
        .refused(hint: ObserveKeys.example),
        "Forwards requests that would be 401, 403 or (without keys or introspection) 503. Token and identity are removed and "
            + "without an identity. Logs and metrics say what would have become of them.",
        example: "{until: 2099-12-24}")
}

/// Configuration keys of `observe`.
final class ObserveKeys: SectionKeys {
    static let example = "write {observe: {until: 2026-12-24}}"

    static let section = SectionReference(
        "observe", "How long a rule is only observed. It then enforces, without a reload.", of: ObserveKeys.self)

    let until = Key(
        "until", KeyForm(.text("a day, or a time as RFC 3339 writes it"), ModeReader.end),
        .refused(hint: ObserveKeys.example),
        "From when on requests are refused. A day begins at midnight UTC. `bearward check` warns from seven days before.",
        example: "2099-12-24")
}
