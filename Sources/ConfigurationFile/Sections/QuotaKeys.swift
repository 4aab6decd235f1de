import Quotas

/// The keys of one quota.
enum QuotaKey: String, ConfigurationKey {
    case requests, per, burst, by
    case whenUnreachable = "when_unreachable"

    /// What can stand for `by` as a word.
    enum Subject: String, CaseIterable { case subject, client, tenant, organization, address }

    static let natural: [Self] = [.requests, .per]

    static let section = SectionReference(
        "quotas", "How many requests each caller may have; more are 429 `quota_exceeded`.", of: QuotaKey.self)

    static let names = ValueForm.list(.text("a name under `quotas`"))
    static let count = ValueForm.integer(1...1_000_000)

    var reference: KeyReference {
        switch self {
        case .requests:
            KeyReference(
                Self.count,
                .refusedUnless(
                    "`by` has `values`", hint: "write how many requests each caller may have, such as `requests: 100`"),
                "How many requests each caller may have in `per`. Beside `values`: those whose claim has none of them; by default the least of them.",
                example: "100")
        case .per:
            KeyReference(
                .duration(.seconds(1) ... .seconds(31 * 86_400)),
                .refused(hint: "write the time that `requests` is for, such as `per: 1m`"),
                "The time that `requests` is for. Requests come back evenly: of 60 in `1m` one each second.",
                example: "1m")
        case .burst:
            KeyReference(Self.count, .meaning("it is `requests`"), "How many of them may come at once.", example: "20")
        case .by:
            KeyReference(
                .oneOf([.words(of: Subject.self), .section(QuotaClaimKey.section)]), .value(Subject.subject.rawValue),
                "Who is a caller. A token without the value counts for its subject, a request without a token for its address.",
                example: "client")
        case .whenUnreachable:
            KeyReference(
                .words(of: Quota.WhenUnreachable.self), .value(Quota.WhenUnreachable.local.rawValue),
                "While `shared_state` does not answer: each process permits its part, or requests are 503.",
                example: "refuse")
        }
    }
}

/// The keys of `by`, where it is a mapping.
enum QuotaClaimKey: String, ConfigurationKey {
    case claim, values

    static let section = SectionReference(
        "by", "A claim that tells callers apart, or says how much each may have.", of: QuotaClaimKey.self)

    var reference: KeyReference {
        switch self {
        case .claim:
            KeyReference(
                .text("a claim's name or path"), .refused(hint: "write {claim: org_id}"),
                "The claim. Without `values` each of its values is a caller: text, a number or a boolean.",
                example: "/plan")
        case .values:
            KeyReference(
                .mapping(of: .text("a value of the claim"), to: QuotaKey.count),
                .meaning("`requests` holds for everyone"),
                "How many requests each subject may have whose claim is this text, or has it among its elements; the first that holds counts.",
                example: "{gold: 1000, free: 60}")
        }
    }
}

/// The keys of `shared_state`.
enum SharedStateKey: String, ConfigurationKey {
    case url, nodes, user
    case passwordFile = "password_file"
    case secretFile = "secret_file"
    case timeout

    static let section = SectionReference(
        "shared_state",
        "A Redis or Valkey server that counts quotas for several processes, and by which they share denials. "
            + "Without it each is alone.",
        of: SharedStateKey.self)

    var reference: KeyReference {
        switch self {
        case .url:
            KeyReference(
                .pattern("a URL such as `redis://127.0.0.1:6379/0`", "^redis://."),
                .refused(hint: "write `redis://127.0.0.1:6379/0`"),
                "Where it is, with the number of its database. It is not reached over TLS.",
                example: "redis://127.0.0.1:6379/0")
        case .nodes:
            KeyReference(
                .integer(1...10_000), .value(1),
                "How many processes share it. While it does not answer, each permits a quota's rate divided by this.",
                example: "4")
        case .user:
            KeyReference(
                .text("a name"), .meaning("it is the default user"), "The user to log in as; needs `password_file`.",
                example: "bearward")
        case .passwordFile:
            KeyReference(
                .text("a path"), .meaning("nobody logs in"), "A file with the password.", example: "./redis-password")
        case .secretFile:
            KeyReference(
                .text("a path"), .refused(hint: "make one for all processes: openssl rand -hex 32 > FILE"),
                "A file with the secret under which the names of callers are hashed, the same for all processes; 16 bytes or more.",
                example: "./quota-secret")
        case .timeout:
            KeyReference(
                .duration(.milliseconds(1) ... .seconds(5)), .value("50ms"),
                "How long a request waits for its answer; then it counts as not answering.", example: "20ms")
        }
    }
}
