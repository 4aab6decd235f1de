import HTTPTypes
import Hummingbird

/// The entity tag of a text, so that clients can revalidate it (RFC 9110 §8.8.3).
struct EntityTag: Sendable, Hashable {
    /// As it stands in the field.
    let value: String

    /// A strong one: the FNV-1a hash of the text. Key IDs are random, so no two sets of one address share a text.
    init(of text: String) {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        value = "\"" + String(hash, radix: 16) + "\""
    }

    /// Whether the client already has this text (RFC 9110 §13.1.2).
    func isKnown(to request: Request) -> Bool {
        request.headers[values: .ifNoneMatch].joined(separator: ",").split(separator: ",").contains { value in
            let value = value.trimmingPrefix { character in character == " " }
            return value == self.value || value == "*"
        }
    }
}
