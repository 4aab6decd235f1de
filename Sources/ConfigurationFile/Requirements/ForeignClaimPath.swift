import NetworkNames
import TokenVerification

/// Path of a claim in the notation of JSONPath, jq or a list. Here the text names a single claim, which no token has.
///
/// A JSON Pointer and a name with `://` are meant literally.
struct ForeignClaimPath {
    private let text: String
    private let path: ClaimPath

    private static let signs: Set<UInt8> = Set("*[]|,;/ \t".utf8)

    /// Recognizes a foreign path. Nil for a path in the notation of this file.
    init?(_ text: String, _ path: ClaimPath) {
        guard !text.hasPrefix("/"), !text.contains("://") else { return nil }
        // A level `*` is meant; `*` within a name is not.
        let text = path.isMultiple ? text.replacing(".*", with: "") : text
        guard text.hasPrefix("$.") || text.utf8.contains(where: Self.signs.contains) else { return nil }
        self.text = text
        self.path = path
    }

    var message: String { "`\(text)` names a single claim, including these signs" }

    var hint: String {
        "write \(meant.map { "`\($0)`" } ?? "the name of each claim"), or `\(pointer)` for a claim of that name"
    }

    /// Path in the notation of this file: `realm_access.roles` for `$.realm_access["roles"]`. Nil if it cannot be
    /// converted.
    private var meant: String? {
        let names = (text.hasPrefix("$") ? text.dropFirst() : text[...]).split { ".[]/\"'".contains($0) }
        guard !names.isEmpty, names.allSatisfy({ $0.utf8.allSatisfy(Self.isOfNames) }) else { return nil }
        return names.joined(separator: ".")
    }

    /// Path as a JSON Pointer (RFC 6901 §3), for a claim with exactly this name.
    private var pointer: String {
        path.names.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }

    private static func isOfNames(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "_-:".utf8.contains(byte)
    }
}
