import AccessControl

/// Configuration keys of `maintenance`.
final class MaintenanceKeys: SectionKeys {
    static let form = KeyForm(.section(section), MaintenanceReader.read)

    static let section = SectionReference(
        "maintenance",
        "Answers every request with 503 `maintenance`, before its token is looked at. Preflights and metadata are answered as ever.",
        of: MaintenanceKeys.self)

    var natural: [any SectionKey] { [until] }

    let until = Key(
        "until", KeyForm(.text("a day, or a time as RFC 3339 writes it"), MaintenanceReader.end),
        .meaning("it lasts until the key is taken out of the file"),
        "From when on it has no effect, without a reload. A day begins at midnight UTC.",
        example: "2099-12-24T18:00:00Z")
    let retryAfter = Key(
        "retry_after", .duration(.milliseconds(1) ... .seconds(86_400)), default: Maintenance.usualRetryAfter,
        "When clients may retry: the value of `Retry-After`, rounded up to whole seconds.", example: "10m")
}
