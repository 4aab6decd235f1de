import ProxySettings

/// The keys of the file itself.
enum FileKey: String, ConfigurationKey {
    case version, listen, doors, admin
    case eventLoops = "event_loops"
    case accessLog = "access_log"
    case log
    case tokenCache = "token_cache"
    case stateDirectory = "state_directory"
    case denyFile = "deny_file"
    case trustedProxies = "trusted_proxies"
    case issuers, policies, methods, quotas
    case sharedState = "shared_state"
    case resources, limits, timeouts, redact

    static let section = SectionReference("The file", "The top of the file.", of: FileKey.self)

    var reference: KeyReference {
        switch self {
        case .listen, .doors, .admin, .trustedProxies: ofListeners
        case .issuers, .policies, .methods, .quotas, .resources: ofPolicy
        case .sharedState, .limits, .timeouts, .redact, .log: ofSections
        case .version, .eventLoops, .accessLog, .tokenCache, .stateDirectory, .denyFile: ofProcess
        }
    }

    private var ofListeners: KeyReference {
        switch self {
        case .admin:
            KeyReference(
                .oneOf([ListenersReader.addressForm, .section(AdminKey.section)]),
                .meaning("there is no admin listener"),
                "Where health, metrics and the state of the gateway are. Never an address of `listen`.",
                example: "127.0.0.1:9901",
                needsRestart: true)
        case .doors:
            KeyReference(
                .list(.section(DoorKey.section)), .meaning("no proxy can ask"), DoorKey.section.text,
                example: "[{kind: nginx, address: 127.0.0.1:9191, from: [127.0.0.1/32]}]", needsRestart: true)
        case .trustedProxies:
            KeyReference(
                .list(WideRangeKey.form, mayBeEmpty: true), .meaning("no proxy is trusted"),
                "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` count. The client is then the last address that is not of them.",
                example: "[10.0.0.0/8, 192.0.2.7]")
        default:
            KeyReference(
                .list(.oneOf([ListenersReader.addressForm, .section(ListenerKey.section)])), .value("127.0.0.1:8080"),
                "Where requests come in.", example: "[127.0.0.1:8080, \"[::1]:8080\"]", needsRestart: true)
        }
    }

    private var ofPolicy: KeyReference {
        switch self {
        case .issuers:
            KeyReference(
                .mapping(of: .text("a name of your own"), to: IssuersReader.form), .meaning("no token is accepted"),
                "Who signs the tokens. Logs, metrics and messages use the name.",
                example: "{logto: {profile: logto, endpoint: \"https://auth.example.com\"}}")
        case .policies:
            KeyReference(
                .mapping(of: .text("a name of your own"), to: RequirementReader.form), .meaning("no rule can name one"),
                "Requirements that several rules share; a rule names one by `policy`.",
                example: "{staff: {claims: {department: sales}}}")
        case .methods:
            KeyReference(
                .list(KnownMethods.form), .meaning("rules name registered methods alone"),
                "Methods of your own that rules and `retries` may name, besides those that IANA registers (WebDAV's and QUERY too). "
                    + "`ANY` covers every method without it.",
                example: "[PURGE, BAN]")
        case .quotas:
            KeyReference(
                .mapping(of: .text("a name of your own"), to: .section(QuotaKey.section)),
                .meaning("requests are not counted"),
                "How many requests each caller may have. A resource or a rule names them by `quotas`.",
                example: "{per-user: {requests: 100, per: 1m, burst: 20}}")
        default:
            KeyReference(
                .mapping(of: .text("a resource identifier (RFC 8707)"), to: .section(ResourceKey.section)),
                .refused(hint: "without a resource every request is answered 404"), "The protected APIs.",
                example:
                    "{\"https://api.example.com\": {issuers: logto, upstream: \"http://127.0.0.1:9000\", rules: {ANY /**: orders:all}}}"
            )
        }
    }

    private var ofSections: KeyReference {
        switch self {
        case .limits:
            KeyReference(
                .section(LimitKey.section), .meaning("each limit has its default"), LimitKey.section.text,
                example: "{body: 10MiB}")
        case .timeouts:
            KeyReference(
                .section(TimeoutKey.section), .meaning("each time-out has its default"), TimeoutKey.section.text,
                example: "{first_byte: 2m}")
        case .sharedState:
            KeyReference(
                .section(SharedStateKey.section), .meaning("each process counts for itself"),
                SharedStateKey.section.text,
                example: "{url: \"redis://127.0.0.1:6379/0\", nodes: 4, secret_file: ./quota-secret}")
        case .log:
            KeyReference(
                .section(LogKey.section), .meaning("each key has its default"), LogKey.section.text,
                example: "{format: json, level: warning}")
        default:
            KeyReference(
                .section(RedactionKey.section), .meaning("the access log shows everything"), RedactionKey.section.text,
                example: "{subject: hash}")
        }
    }

    private var ofProcess: KeyReference {
        switch self {
        case .eventLoops:
            KeyReference(
                .integer(1...1024), .meaning("there is one for each available core"), "Event loops, each a thread.",
                example: "2",
                needsRestart: true)
        case .accessLog:
            KeyReference(
                .pattern("`stdout`, `none` or a path", "^(?!(stderr|off|on|true|false|no|yes)$)."), .value("stdout"),
                "Where the line about each request goes.",
                example: "./access.log")
        case .tokenCache:
            KeyReference(
                .size(0...(1 << 50)), .value(ofBytes: FileReader.usualTokenCache),
                "Memory for verified tokens, in all. 0 keeps none.", example: "512MiB")
        case .stateDirectory:
            KeyReference(
                .text("a path"), .meaning("key sets are fetched at each start"),
                "A directory for the last good key sets and addresses of upstreams, so that a restart needs neither issuer nor name server, "
                    + "and for denials that were added while it runs.",
                example: "./state", needsRestart: true)
        case .denyFile:
            KeyReference(
                .text("a path"), .meaning("tokens are denied only by what is added on the admin listener"),
                "Tokens that are refused whatever else they say, one JSON object a line; read again when it changes.",
                example: "./deny.jsonl")
        default: KeyReference(.words(["1"]), .value("1"), "The version of the file's format.", example: "1")
        }
    }
}
