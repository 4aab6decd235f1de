import HTTPMessages
import JOSE
import KnownTokens
import ProxySettings
import RequestAuthorization
import RequestHistory
import TokenVerification

/// Heaviest clients, subjects and addresses of one event loop in the last minutes.
///
/// Counts what the access log shows, after `redact`: a dropped value is not counted, and a hashed one counts as its
/// pseudonym. A token is counted as the log has it, whether its request was permitted or not.
struct CallerWindows: Sendable {
    /// Client IDs, each with its issuer.
    private(set) var clients = HeavyHitterWindow()
    /// Subjects, each with its issuer.
    private(set) var subjects = HeavyHitterWindow()
    private(set) var addresses = HeavyHitterWindow()
    /// Scratch storage for the text of a new key.
    private var text: [UInt8] = []

    /// Byte between the name of an issuer and the text of a key. No name has it.
    static let separator: UInt8 = 0

    mutating func count(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, client: [UInt8], at now: Int64
    ) {
        let redaction = record.configuration.redaction
        Self.count(client[...], nil, redaction.client, in: &addresses, record, &text, at: now)
        guard let facts = record.facts, let issuer = facts.issuer else { return }
        let subject: ArraySlice<UInt8>?
        let clientID: ArraySlice<UInt8>?
        if facts.hasRecord {
            (subject, clientID) = (request.record.text(.subject), request.record.text(.client))
        } else {
            (subject, clientID) = (Self.bytes(facts.subject), Self.bytes(facts.clientID))
        }
        if let subject { Self.count(subject, issuer, redaction.subject, in: &subjects, record, &text, at: now) }
        if let clientID { Self.count(clientID, issuer, redaction.clientID, in: &clients, record, &text, at: now) }
    }

    /// Bytes of a text from a token, as far as the token cache keeps them, so that both ways count the same. Nil if the
    /// token has none.
    private static func bytes(_ text: String?) -> ArraySlice<UInt8>? {
        text.map { ArraySlice($0.utf8.prefix(TokenRecordBytes.longestText)) }
    }

    private static func count(
        _ value: ArraySlice<UInt8>, _ issuer: IssuerIndex?, _ treatment: LogRedaction.Text,
        in window: inout HeavyHitterWindow, _ record: borrowing RequestRecord, _ text: inout [UInt8], at now: Int64
    ) {
        guard treatment != .dropped else { return }
        // The hash of the value itself, so that a known caller costs no pseudonym.
        let hash = window.hash(of: value.span, scope: issuer.map { $0.rawValue &+ 1 } ?? 0)
        guard !window.addKnown(hash, at: now) else { return }
        text.removeAll(keepingCapacity: true)
        if let name = record.configuration.labels.issuer(issuer) {
            text += name
            text.append(separator)
        }
        switch treatment {
        case .shown: text += value
        case .hashed:
            guard let pseudonym = record.configuration.pseudonyms?.pseudonym(of: value.span) else { return }
            text += pseudonym
        case .dropped: return
        }
        window.addUnknown(text.span, hash)
    }
}
