import HTTPMessages
import RequestAuthorization

/// Answer to a forward auth proxy whose request is permitted: fields it must add to the request, and fields it must
/// remove.
public struct DoorPermission: Sendable {
    /// Complete field lines to add to the request.
    let lines: [UInt8]
    private let removal: DoorRemoval
    private let edits: HeaderEdits
    /// Names of the client's fields that the gateway itself would not forward. Used for proxies that remove what an
    /// answer lists.
    private let unwelcome: [FieldName]

    /// - Parameters:
    ///   - head: the head of the judged request, whose token may be kept.
    ///   - isOfTrusted: true if a trusted proxy sent the request, so that its statements about the client may pass.
    public init(
        _ forwarding: Forwarding, of head: borrowing RequestHead, _ edits: HeaderEdits, at door: DoorKind,
        isOfTrusted: Bool = false
    ) {
        unwelcome =
            switch door {
            case .envoyGRPC: head.unwelcomeNames(edits, isOfTrusted: isOfTrusted)
            // Its question has few of the client's fields.
            case .envoyHTTP: Self.neverForwarded
            case .nginx, .traefik, .caddy, .haproxy: []
            }
        var lines = forwarding.identityFields
        if let line = forwarding.tokenField { lines.append(contentsOf: line) }
        if forwarding.keepsAuthorization, let field = head.only(.authorization) {
            lines.append(contentsOf: "Authorization: ".utf8)
            lines.append(contentsOf: head.value(of: field))
            lines.append(contentsOf: "\r\n".utf8)
        }
        self.lines = lines
        self.edits = edits
        removal = door.removal
    }

    /// Writes the complete answer.
    public func write(into head: inout some HeadOutput, _ terms: AnswerTerms) {
        head.reset()
        head.statusLine(200)
        _ = head.field("date", terms.date.span)
        _ = head.field("x-request-id", terms.requestID.span)
        if terms.form == .marked { head.field("x-bearward-verdict", "allow") }
        if !lines.isEmpty { head.identityLines(lines.span) }
        switch removal {
        case .none: break
        case .all:
            var list = edits.removedList
            list.append(contentsOf: Self.removedByScript)
            _ = head.field("x-bearward-remove", list.span)
        case .unstated:
            let list = unstated
            _ = head.field("x-envoy-auth-headers-to-remove", list.span)
        }
        head.endAnswer(contentLength: 0, terms)
    }

    private static let neverForwarded = KnownField.allCases.filter(\.isNeverForwarded).map { FieldName($0) }

    /// Further names that the HAProxy script must remove, as the end of a comma-separated list. The script requests the
    /// WebSocket upgrade again if the client did, so every upgrade is removed.
    private static let removedByScript = Array(
        (neverForwarded + [FieldName(.upgrade), FieldName(.connection)]).map { Array(", ".utf8) + $0.spelling }.joined()
    )

    /// Names to remove, without those that the added lines state: for a proxy that removes fields last.
    var unstatedNames: [FieldName] {
        let stated = statedNames
        return [edits.removed, unwelcome].flatMap { names in names.filter { !isNamed($0, at: stated) } }
    }

    /// The names of ``unstatedNames`` as a comma-separated list.
    private var unstated: [UInt8] {
        var list: [UInt8] = []
        for name in unstatedNames {
            if !list.isEmpty { list.append(contentsOf: ", ".utf8) }
            list.append(contentsOf: name.spelling)
        }
        return list
    }

    private func isNamed(_ name: FieldName, at names: [Range<Int>]) -> Bool {
        let bytes = lines.span
        for range in names where name.matches(bytes.extracting(range)) { return true }
        return false
    }

    /// Ranges of the field names in the lines.
    private var statedNames: [Range<Int>] {
        var names: [Range<Int>] = []
        var start = 0
        var isInName = true
        for (index, byte) in lines.enumerated() {
            if byte == UInt8(ascii: ":"), isInName {
                names.append(start..<index)
                isInName = false
            } else if byte == UInt8(ascii: "\n") {
                (start, isInName) = (index &+ 1, true)
            }
        }
        return names
    }
}
