import JOSE
import Quotas

/// Configuration keys of one quota.
final class QuotaKeys: SectionKeys {
    /// Words for `by`.
    enum Subject: String, CaseIterable { case subject, client, tenant, organization, address }

    static let section = SectionReference(
        "quotas", "How many requests each caller may have; more are 429 `quota_exceeded`.", of: QuotaKeys.self)

    static let names = ValueForm.list(.text("a name under `quotas`"))
    static let count = KeyForm.integer(1...1_000_000)

    var natural: [any SectionKey] { [requests, per] }

    let requests = Key(
        "requests", QuotaKeys.count,
        .refusedUnless(
            "`by` has `values`", hint: "write how many requests each caller may have, such as `requests: 100`"),
        "How many requests each caller may have in `per`. Beside `values`: those whose claim has none of them; by default the least of them.",
        example: "100")
    let per = Key(
        "per", .duration(.seconds(1) ... .seconds(31 * 86_400)),
        .refused(hint: "write the time that `requests` is for, such as `per: 1m`"),
        "The time that `requests` is for. Requests come back evenly: of 60 in `1m` one each second.", example: "1m")
    let burst = Key(
        "burst", QuotaKeys.count, .meaning("it is `requests`"), "How many of them may come at once.", example: "20")
    let by = Key(
        "by", KeyForm(.oneOf([.words(of: Subject.self), .section(QuotaClaimKeys.section)]), QuotaReader.by),
        .value(Subject.subject.rawValue),
        "What identifies a caller. A token without the value is counted by subject, a request without a token by address.",
        example: "client")
    let whenUnreachable = Key(
        "when_unreachable", .word, default: Quota.WhenUnreachable.local,
        "While `shared_state` does not answer: each process permits its part, or requests are 503.", example: "refuse")
}

/// Configuration keys of `by` in its mapping form.
final class QuotaClaimKeys: SectionKeys {
    static let section = SectionReference(
        "by", "A claim that identifies callers, or selects their rate.", of: QuotaClaimKeys.self)

    let claim = Key(
        "claim", KeyForm(.text("a claim's name or path")) { $0.claimPath() }, .refused(hint: "write {claim: org_id}"),
        "The claim. Without `values` each of its values is a caller: text, a number or a boolean.", example: "/plan")
    let values = Key(
        "values",
        KeyForm(.mapping(of: .text("a value of the claim"), to: QuotaKeys.count.form), QuotaReader.values),
        .meaning("`requests` holds for everyone"),
        "How many requests each subject may have whose claim is this text, or has it among its elements; the first that holds counts.",
        example: "{gold: 1000, free: 60}")
}

/// Configuration keys of `shared_state`.
final class SharedStateKeys: SectionKeys {
    static let section = SectionReference(
        "shared_state",
        "A Redis or Valkey server that counts quotas for several processes, and by which they share denials. "
            + "Without it each is alone.",
        of: SharedStateKeys.self)

    /// Longest secret or password, in bytes. A longer text cannot be one.
    private static let longestSecret = 4096

    let url = Key(
        "url",
        KeyForm(.pattern("a URL such as `redis://127.0.0.1:6379/0`", "^redis://."), SharedStateReader.place),
        .refused(hint: "write `redis://127.0.0.1:6379/0`"),
        "Where it is, with the number of its database. It is not reached over TLS.",
        example: "redis://127.0.0.1:6379/0")
    let nodes = Key(
        "nodes", .integer(1...10_000), default: 1,
        "How many processes share it. While it does not answer, each permits a quota's rate divided by this.",
        example: "4")
    let user = Key(
        "user", .text("a name"), .meaning("it is the default user"), "The user to log in as; needs `password_file`.",
        example: "bearward")
    let passwordFile = Key(
        "password_file", KeyForm(.text("a path")) { $0.secret(called: "password", in: 1...longestSecret) },
        .meaning("the gateway does not log in"), "A file with the password.", example: "./redis-password")
    let secretFile = Key(
        "secret_file",
        KeyForm(.text("a path")) { $0.secret(called: "secret", in: Pseudonyms.shortestSecret...longestSecret) },
        .refused(hint: "make one for all processes: openssl rand -hex 32 > FILE"),
        "A file with the secret under which the names of callers are hashed, the same for all processes; 16 bytes or more.",
        example: "./quota-secret")
    let timeout = Key(
        "timeout", .duration(.milliseconds(1) ... .seconds(5)), default: .milliseconds(50),
        "How long a request waits for its answer; then it counts as not answering.", example: "20ms")
}
