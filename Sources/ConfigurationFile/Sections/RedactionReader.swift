import JOSE
import ProxySettings

/// Reads `redact`: what lines of the access log keep to themselves.
enum RedactionReader {
    /// In bytes; what is longer was never a key.
    private static let longestKey = 4096

    static func read(_ value: Value?) -> LogRedaction {
        var redaction = LogRedaction()
        guard let value, let section = Section(value, of: RedactionKey.self) else { return redaction }
        redaction.subject = text(section[.subject])
        redaction.clientID = text(section[.clientID])
        redaction.tokenID = text(section[.tokenID])
        redaction.detail = text(section[.detail])
        redaction.path = path(section[.path])
        if redaction.clientID != .shown, redaction.detail == .shown {
            section[.clientID]?.warn(
                "`detail` tells `aud`, which can be the client's ID", hint: "write `detail: drop` too")
        }
        guard let file = section[.keyFile] else { return redaction }
        redaction.key = key(file)
        if !redaction.hashes {
            file.warn("nothing is hashed, so no key is used", hint: "write `hash` for what is to be hashed under it")
        }
        return redaction
    }

    private static func text(_ value: Value?) -> LogRedaction.Text {
        switch value?.text(expected: "`hash` or `drop`") {
        case nil: return .shown
        case "hash": return .hashed
        case "drop": return .dropped
        case let other?:
            value?.report("`\(other)` is not known here", hint: "write `hash` or `drop`; without the key it is shown")
            return .shown
        }
    }

    private static func path(_ value: Value?) -> LogRedaction.Path {
        switch value?.text(expected: "`rule` or `drop`") {
        case nil: return .shown
        case "rule": return .rule
        case "drop": return .dropped
        case let other?:
            value?.report("`\(other)` is not known here", hint: "write `rule` or `drop`; without the key it is shown")
            return .shown
        }
    }

    /// The file's bytes, without a line break at their end.
    private static func key(_ value: Value) -> [UInt8]? {
        guard let path = value.someText(expected: "a path") else { return nil }
        guard let key = value.secretLine(path, longest: longestKey) else { return nil }
        guard key.count >= Pseudonyms.shortestSecret, key.count <= longestKey else {
            value.report(
                "the key in `\(path)` has \(key.count) bytes, and \(Pseudonyms.shortestSecret) to \(longestKey) are needed",
                hint: "make one: openssl rand -hex 32 > \(path)")
            return nil
        }
        return key
    }
}
