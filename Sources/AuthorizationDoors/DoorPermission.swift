import HTTPMessages
import RequestAuthorization

/// The answer to a proxy whose request may pass: what it has to put into the request, and what it has to remove.
public struct DoorPermission: Sendable {
    /// Complete field lines.
    let lines: [UInt8]
    /// The names that the proxy has to remove.
    private let removed: [FieldName]
    private let removal: DoorRemoval

    /// - Parameter head: of the judged request, whose token may be kept.
    public init(_ forwarding: Forwarding, of head: borrowing RequestHead, _ edits: HeaderEdits, at door: DoorKind) {
        var lines = forwarding.identityFields
        lines.append(contentsOf: forwarding.tokenField)
        if forwarding.keepsAuthorization, let field = head.only(.authorization) {
            lines.append(contentsOf: "Authorization: ".utf8)
            lines.append(contentsOf: head.value(of: field))
            lines.append(contentsOf: "\r\n".utf8)
        }
        self.lines = lines
        removal = door.removal
        var removed = edits.requestNames
        removed.append(FieldName(.authorization))
        self.removed = door.removal == .none ? [] : removed
    }

    /// Writes the whole answer.
    public func write(into head: inout some HeadOutput, _ terms: AnswerTerms) {
        head.reset()
        head.statusLine(200)
        _ = head.field("date", terms.date.span)
        _ = head.field("x-request-id", terms.requestID.span)
        if terms.form == .marked { head.field("x-bearward-verdict", "allow") }
        if !lines.isEmpty { head.identityLines(lines.span) }
        switch removal {
        case .none: break
        case .all: _ = head.field("x-bearward-remove", Self.list(removed).span)
        case .unstated: _ = head.field("x-envoy-auth-headers-to-remove", Self.list(unstated).span)
        }
        head.endAnswer(contentLength: 0, terms)
    }

    /// The names that the proxy has to remove if it does that last.
    var unstated: [FieldName] { removed.filter { !isStated($0) } }

    private static func list(_ names: [FieldName]) -> [UInt8] { Array(names.map(\.spelling).joined(separator: Array(", ".utf8))) }

    /// Whether a line has the name.
    private func isStated(_ name: FieldName) -> Bool {
        var start = lines.startIndex
        while start < lines.endIndex {
            let line = lines[start...].prefix { $0 != UInt8(ascii: "\n") }
            let stated = line.prefix { $0 != UInt8(ascii: ":") }
            if name.matches(stated.span) { return true }
            start = line.endIndex &+ 1
        }
        return false
    }
}
