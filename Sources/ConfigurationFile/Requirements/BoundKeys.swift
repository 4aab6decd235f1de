import ProxySettings

/// Configuration keys of `limits` on a resource or a rule.
final class ResourceLimitKeys: SectionKeys {
    static let section = SectionReference(
        "Resource limits", "Limits of the requests of a resource or a rule, within those of the whole file.",
        of: ResourceLimitKeys.self)

    var natural: [any SectionKey] { [body] }

    let body = Key(
        "body", .size(0...(1 << 50)), .meaning("that of the resource counts, or that of the file"),
        "The longest request body; a longer one is 413. At most `limits.body` of the file.", example: "10MiB")
}

/// Configuration keys of `timeouts` on a resource or a rule.
final class ResourceTimeoutKeys: SectionKeys {
    static let section = SectionReference(
        "Resource timeouts", "Time-outs of the requests of a resource or a rule, within those of the whole file.",
        of: ResourceTimeoutKeys.self)

    var natural: [any SectionKey] { [firstByte] }

    let firstByte = Key(
        "first_byte", .duration(.milliseconds(1) ... .seconds(86_400)),
        .meaning("that of the resource counts, or that of the file"),
        "From the end of the request until the head of the upstream's response (504). At most `timeouts.first_byte` of the file.",
        example: "10s")
}
