import AccessControl
import HTTPMessages
import JOSE
import KnownTokens
import NetworkNames
import ProxySettings
import RequestAuthorization
import RequestHistory
import TokenVerification

/// Heaviest clients, subjects, addresses and keys of one event loop in the last minutes, and who passed which rule in
/// the last hour.
///
/// Counts what the access log shows, after `redact`: a dropped value is not counted, and a hashed one counts as its
/// pseudonym. A token is counted as the log has it, whether its request was permitted or not. All of it belongs to
/// proved tokens, except for the addresses.
struct CallerWindows: Sendable {
    /// Client IDs, each with its issuer.
    private(set) var clients = HeavyHitterWindow()
    /// Subjects, each with its issuer.
    private(set) var subjects = HeavyHitterWindow()
    private(set) var addresses = HeavyHitterWindow()
    /// IDs of the keys that signed, each with its issuer.
    private(set) var keys = HeavyHitterWindow()
    /// Callers whose requests a rule permitted.
    private(set) var passed = HeavyHitterWindow(.hour)
    private let hash = KeyHash()
    /// Scratch storage for what stands before the name of a caller whom a rule permitted.
    private var prefix: [UInt8] = []

    /// Requests that are counted at once.
    struct Requests {
        let count: UInt64
        /// The configuration that judged them.
        let configuration: ProxyConfiguration
        /// The rule that permitted them. Nil if they were refused.
        let place: (resource: ResourceIndex, rule: RuleIndex)?
        let now: Int64
    }

    /// Counts a request whose token is not known, or that another configuration judged.
    ///
    /// - Parameter known: cache record of the token, if the facts say so.
    mutating func count(
        _ record: borrowing RequestRecord, _ known: borrowing TokenRecordBytes,
        client: (text: [UInt8], address: IPAddress?), at now: Int64
    ) {
        let facts = record.facts
        var place: (ResourceIndex, RuleIndex)?
        if record.reason == nil, let resource = facts?.resource, let rule = facts?.rule { place = (resource, rule) }
        let requests = Requests(count: 1, configuration: record.configuration, place: place, now: now)
        countAddress(client.address, client.text.span, requests)
        guard let facts, facts.isProved, let issuer = facts.issuer else { return }
        if facts.hasRecord {
            guard let texts = known.callerTexts else { return }
            return countToken(texts, of: known.bytes.span, issuer, requests)
        }
        var bytes: [UInt8] = []
        let texts = CallerTexts(
            keyID: Self.append(facts.keyID, to: &bytes), subject: Self.append(facts.subject, to: &bytes),
            client: Self.append(facts.clientID, to: &bytes))
        countToken(texts, of: bytes.span, issuer, requests)
    }

    /// Appends a text from a token, as far as the token cache keeps it, so that both ways count the same. Returns its
    /// range. Nil if the token has none.
    private static func append(_ text: String?, to bytes: inout [UInt8]) -> Range<Int>? {
        guard let text else { return nil }
        let begin = bytes.count
        bytes += text.utf8.prefix(TokenRecordBytes.longestText)
        return begin..<bytes.count
    }

    mutating func countAddress(_ address: IPAddress?, _ shown: Span<UInt8>, _ requests: Requests) {
        let redaction = requests.configuration.redaction.client
        guard redaction != .dropped else { return }
        let key = address.map { hash($0.high, $0.low) } ?? hash(shown)
        Self.count(shown, key, redaction, of: nil, in: &addresses, requests)
    }

    /// - Parameter texts: ranges of the bytes.
    mutating func countToken(
        _ texts: CallerTexts, of bytes: Span<UInt8>, _ issuer: IssuerIndex, _ requests: Requests
    ) {
        let scope = issuer.rawValue &+ 1
        // Not the whole redaction, whose copy counts references.
        let (subject, clientID) = (
            requests.configuration.redaction.subject, requests.configuration.redaction.clientID
        )
        // in bounds: ranges of the bytes
        if let range = texts.keyID {
            let value = bytes.extracting(range)
            Self.count(value, hash(value, scope: scope), .shown, of: issuer, in: &keys, requests)
        }
        if let range = texts.subject {
            let value = bytes.extracting(range)
            Self.count(value, hash(value, scope: scope), subject, of: issuer, in: &subjects, requests)
        }
        if let range = texts.client {
            let value = bytes.extracting(range)
            Self.count(value, hash(value, scope: scope), clientID, of: issuer, in: &clients, requests)
        }
        if let place = requests.place { countPassage(texts, of: bytes, issuer, place, requests) }
    }

    /// Counts a permitted caller: the client that the token was issued to, or else the subject.
    private mutating func countPassage(
        _ texts: CallerTexts, of bytes: Span<UInt8>, _ issuer: IssuerIndex,
        _ place: (resource: ResourceIndex, rule: RuleIndex), _ requests: Requests
    ) {
        let isClient = texts.client != nil && requests.configuration.redaction.clientID != .dropped
        let treatment =
            isClient ? requests.configuration.redaction.clientID : requests.configuration.redaction.subject
        guard treatment != .dropped, let range = isClient ? texts.client : texts.subject,
            let mark = requests.configuration.callerLabels.mark(place.rule, of: place.resource)
        else { return }
        let value = bytes.extracting(range)
        let key = hash(hash(value, scope: issuer.rawValue &+ 1), mark.number &+ (isClient ? 1 : 0))
        guard !passed.addKnown(key, times: requests.count, at: requests.now) else { return }
        prefix.removeAll(keepingCapacity: true)
        mark.append(isClient: isClient, to: &prefix)
        prefix += requests.configuration.callerLabels.prefix(issuer)
        Self.add(value, key, treatment, to: &passed, prefix, requests)
    }

    /// Counts a value, unless it is dropped.
    ///
    /// - Parameters:
    ///   - key: hash of the value itself, so that a known caller costs no pseudonym.
    ///   - issuer: the issuer, whose name is shown before the value. Nil for an address.
    private static func count(
        _ value: Span<UInt8>, _ key: UInt64, _ treatment: LogRedaction.Text, of issuer: IssuerIndex?,
        in window: inout HeavyHitterWindow, _ requests: Requests
    ) {
        guard treatment != .dropped, !window.addKnown(key, times: requests.count, at: requests.now) else { return }
        add(value, key, treatment, to: &window, requests.configuration.callerLabels.prefix(issuer), requests)
    }

    /// Counts a value that has no entry. Not if no pseudonym can be made of it.
    ///
    /// - Parameter prefix: what is shown before the value.
    private static func add(
        _ value: Span<UInt8>, _ key: UInt64, _ treatment: LogRedaction.Text, to window: inout HeavyHitterWindow,
        _ prefix: [UInt8], _ requests: Requests
    ) {
        switch treatment {
        case .shown: window.addUnknown(prefix.span, value, key, times: requests.count)
        case .hashed:
            guard let pseudonym = requests.configuration.pseudonyms?.pseudonym(of: value) else { return }
            window.addUnknown(prefix.span, pseudonym.span, key, times: requests.count)
        case .dropped: break
        }
    }
}
