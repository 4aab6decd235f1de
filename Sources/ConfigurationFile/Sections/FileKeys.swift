import ProxySettings

extension Configuration: Defaulted {
    static var defaults: Self { Self() }
}

/// Keys at the top of the file.
final class FileKeys: SectionKeys {
    static let section = SectionReference("The file", "The top of the file.", of: FileKeys.self)

    private static let ownName = ValueForm.text("a name of your own")

    let version = Key(
        "version", KeyForm(.words(["1"]), FileReader.version), default: "1", "The version of the file's format.",
        example: "1")
    let listen = Setting(
        "listen", \Configuration.listen,
        KeyForm(
            .list(.oneOf([ListenersReader.addressForm.form, .section(ListenerKeys.section)])), ListenersReader.listen
        ) { .value($0.map(\.address.text).joined(separator: ", ")) },
        "Addresses for requests.", example: "[127.0.0.1:8080, \"[::1]:8080\"]", needsRestart: true)
    let doors = Key(
        "doors", form: .list(.section(DoorKeys.section)), .meaning("no proxy can ask"), DoorKeys.section.text,
        example: "[{kind: nginx, address: 127.0.0.1:9191, from: [127.0.0.1/32]}]", needsRestart: true)
    let admin = Key(
        "admin", form: .oneOf([ListenersReader.addressForm.form, .section(AdminKeys.section)]),
        .meaning("there is no admin listener"),
        "Address of the admin listener: health, metrics and state. It must differ from every address of `listen`.",
        example: "127.0.0.1:9901", needsRestart: true)
    let eventLoops = Setting(
        "event_loops", \Configuration.eventLoops, .integer(1...1024),
        without: .meaning("there is one for each available core"), "Event loops, each a thread.", example: "2",
        needsRestart: true)
    let accessLog = Setting(
        "access_log", \Configuration.accessLog,
        KeyForm(.oneOf([AccessLogReader.destinationForm.form, .section(AccessLogKeys.section)]), AccessLogReader.read),
        without: .value("stdout"),
        "Destination of the access log. A mapping also chooses what it shows of a token besides the members of every line.",
        example: "./access.log")
    let log = Setting(
        "log", \Configuration.log, .settings(LogKeys.self), without: .meaning("each key has its default"),
        LogKeys.section.text, example: "{format: json, level: warning}")
    let tokenCache = Setting(
        "token_cache", \Configuration.tokenCache, .size(0...(1 << 50)),
        "Size of the token cache. 0 disables it.", example: "512MiB")
    let ecdsaTables = Setting(
        "ecdsa_tables", \Configuration.ecdsaTables, .zeroIfOff(.integer(1...1024)),
        "EC keys that get a table, the most used ones first: signatures then take a fifth (ES384) or a third (ES256) of the time. "
            + "A table takes 148 KiB of memory for ES256, 330 KiB for ES384 and 359 KiB for ES512. "
            + "With `off`, libcrypto verifies every signature.",
        example: "off")
    let stateDirectory = Setting(
        "state_directory", \Configuration.stateDirectory, KeyForm(.text("a path"), FileReader.stateDirectory),
        without: .meaning("key sets are fetched at each start"),
        "A directory for the last good key sets and addresses of upstreams, so that a restart needs neither issuer nor name server. "
            + "It also has denials that were added while it runs.",
        example: "./state", needsRestart: true)
    let denyFile = Key(
        "deny_file", form: .text("a path"),
        .meaning("tokens are denied only by what is added on the admin listener"),
        "File of denied tokens, one JSON object per line. It is read again when it changes.",
        example: "./deny.jsonl")
    let trustedProxies = Setting(
        "trusted_proxies", \Configuration.trustedProxies,
        KeyForm(.list(WideRangeKeys.form, mayBeEmpty: true)) { $0.addressRanges().warned(.stateAddresses) },
        without: .meaning("no proxy is trusted"),
        "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. The client is the last address that is not one of them.",
        example: "[10.0.0.0/8, 192.0.2.7]")
    let issuers = Key(
        "issuers", form: .mapping(of: FileKeys.ownName, to: IssuersReader.form), .meaning("no token is accepted"),
        "Issuers of tokens. Logs, metrics and messages use their names.",
        example: "{logto: {profile: logto, endpoint: \"https://auth.example.com\"}}")
    let policies = Key(
        "policies", form: .mapping(of: FileKeys.ownName, to: RequirementReader.form), .meaning("no rule can name one"),
        "Requirements that several rules share; a rule names one by `policy`.",
        example: "{staff: {claims: {department: sales}}}")
    let methods = Key(
        "methods", form: .list(KnownMethods.form), .meaning("rules name registered methods alone"),
        "Methods of your own that rules and `retries` may name, besides those that IANA registers (WebDAV's and QUERY too). "
            + "`ANY` covers every method without it.",
        example: "[PURGE, BAN]")
    let quotas = Key(
        "quotas", form: .mapping(of: FileKeys.ownName, to: .section(QuotaKeys.section)),
        .meaning("requests are not counted"),
        "Rate limits per caller. A resource or a rule refers to them in `quotas`.",
        example: "{per-user: {requests: 100, per: 1m, burst: 20}}")
    let sharedState = Setting(
        "shared_state", \Configuration.sharedState,
        KeyForm(.section(SharedStateKeys.section), SharedStateReader.read),
        without: .meaning("each process counts for itself"), SharedStateKeys.section.text,
        example: "{url: \"redis://127.0.0.1:6379/0\", nodes: 4, secret_file: ./quota-secret}")
    let resources = Key(
        "resources",
        form: .mapping(of: .text("a resource identifier (RFC 8707)"), to: .section(ResourceKeys.section)),
        .refused(hint: "without a resource every request is answered 404"), "The protected APIs.",
        example:
            "{\"https://api.example.com\": {issuers: logto, upstream: \"http://127.0.0.1:9000\", rules: {ANY /**: orders:all}}}"
    )
    let limits = Key(
        "limits", form: .section(LimitKeys.section), .meaning("each limit has its default"), LimitKeys.section.text,
        example: "{body: 10MiB}")
    let timeouts = Setting(
        "timeouts", \Configuration.timeouts, .settings(TimeoutKeys.self),
        without: .meaning("each time-out has its default"), TimeoutKeys.section.text, example: "{first_byte: 2m}")
    let redact = Setting(
        "redact", \Configuration.redaction, KeyForm(.section(RedactionKeys.section), RedactionReader.read),
        without: .meaning("the access log shows everything"), RedactionKeys.section.text, example: "{subject: hash}")
    let telemetry = Setting(
        "telemetry", \Configuration.telemetry, KeyForm(.section(TelemetryKeys.section), TelemetryReader.read),
        without: .meaning("nothing is exported"), TelemetryKeys.section.text,
        example: "{otlp: {endpoint: \"https://otel.example.com:4318\"}, traces: {sample: 1%}}")
}
