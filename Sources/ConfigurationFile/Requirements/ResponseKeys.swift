/// Configuration keys of `response`.
final class ResponseKeys: SectionKeys {
    static let section = SectionReference(
        "response",
        "Response headers that are set or removed, from a closed list of names. Those of a resource and its rule add up.",
        of: ResponseKeys.self)

    var natural: [any SectionKey] { [remove] }

    let set = Key(
        "set", KeyForm(.mapping(of: .text("a header name"), to: .text("a value")), ResponseReader.set),
        .meaning("no header is set"),
        "Headers of every answer, Bearward's own among them; they replace those of the upstream. "
            + "Bearward's own answers keep their `Cache-Control`.",
        example: "{Strict-Transport-Security: max-age=31536000}")
    let remove = Key(
        "remove", KeyForm(.list(.text("a header name")), ResponseReader.removed), .meaning("no header is removed"),
        "Headers of the upstream that clients do not get.", example: "[Server, X-Powered-By]")
}
