import NetworkNames
import TokenVerification

/// The path of a claim as JSONPath, jq or a list has it, which names a claim that no token has here.
///
/// A JSON Pointer is meant as it is written, and so is a name with `://`.
struct ForeignClaimPath {
    private let text: String
    private let path: ClaimPath

    private static let signs: Set<UInt8> = Set("*[]|,;/ \t".utf8)

    /// Returns nil if it is a path as they are written here.
    init?(_ text: String, _ path: ClaimPath) {
        guard !text.hasPrefix("/"), !text.contains("://") else { return nil }
        guard text.hasPrefix("$.") || text.utf8.contains(where: Self.signs.contains) else { return nil }
        self.text = text
        self.path = path
    }

    var message: String { "`\(text)` names one claim, its signs too" }

    var hint: String {
        "write \(meant.map { "`\($0)`" } ?? "the name of each claim"), or `\(pointer)` for a claim of that name"
    }

    /// The path that it is elsewhere: `realm_access.roles` for `$.realm_access["roles"]`.
    private var meant: String? {
        let names = (text.hasPrefix("$") ? text.dropFirst() : text[...]).split { ".[]/\"'".contains($0) }
        guard !names.isEmpty, names.allSatisfy({ $0.utf8.allSatisfy(Self.isOfNames) }) else { return nil }
        return names.joined(separator: ".")
    }

    /// The same path as a pointer (RFC 6901 §3).
    private var pointer: String {
        path.names.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }

    private static func isOfNames(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "_-:".utf8.contains(byte)
    }
}
