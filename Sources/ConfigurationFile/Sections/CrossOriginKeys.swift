import AccessControl

/// Configuration keys of `cors`.
final class CrossOriginKeys: SectionKeys {
    static let section = SectionReference(
        "cors",
        "CORS: which other origins may call this API from a browser and read its responses, including rejections.",
        of: CrossOriginKeys.self)

    private static let ages = Duration.zero ... .seconds(86_400)
    private static let fields = KeyForm(.list(.text("a header name")), CrossOriginReader.fieldNames)

    let origins = Key(
        "origins", form: .list(.text("`scheme://host[:port]`, the host also with `*.` before it, or `*`")),
        .refused(hint: "write the origins of your pages, such as `https://app.example.com`"),
        "The origins whose pages may call. `*.` stands for one label; `*` alone is every origin but `null`. "
            + "`http://localhost:*` and `http://127.0.0.1:*` are all ports of the browser's own machine, 80 among them, "
            + "so any program there that serves a page may call.",
        example: "[https://app.example.com, http://localhost:5173]")
    let credentials = Key(
        "credentials", .boolean, default: false,
        "Whether pages may send cookies and client certificates. Bearer tokens do not need it.", example: "true")
    let maxAge = Key(
        "max_age",
        KeyForm(.duration(CrossOriginKeys.ages), { $0.duration(in: CrossOriginKeys.ages) }) {
            .value("\($0.components.seconds / 60)m")
        },
        default: CrossOriginPolicy.usualMaxAge,
        "How long a browser may cache a preflight response.", example: "1h")
    let headers = Key(
        "headers",
        KeyForm(
            .oneOf([.words([CrossOriginReader.anyField]), CrossOriginKeys.fields.form]), CrossOriginReader.requestFields
        ),
        .meaning("pages may send only these two"),
        "Headers that pages may send besides `Authorization` and `Content-Type`. `any` permits every header that a page asks "
            + "about. It is not permitted with `credentials: true`.", example: "[X-Trace]")
    let expose = Key(
        "expose", CrossOriginKeys.fields, .meaning("pages may read only those"),
        "Response headers that pages may read, besides those that browsers always permit and those of Bearward's own rejections.",
        example: "[X-Total-Count]")
}
