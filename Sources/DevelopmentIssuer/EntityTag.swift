import HTTPTypes
import Hummingbird
import NetworkNames

/// The entity tag of a text, so that clients can revalidate it (RFC 9110 §8.8.3).
struct EntityTag: Sendable, Hashable {
    /// The tag as it is written in the header.
    let value: String

    /// A strong one: a hash of the text. Key IDs are random, so no two sets of one address share a text.
    init(of text: String) {
        value = "\"" + String(FNV1a.hash(text.utf8.span), radix: 16) + "\""
    }

    /// Whether the client already has this text (RFC 9110 §13.1.2).
    func isKnown(to request: Request) -> Bool {
        request.headers[values: .ifNoneMatch].joined(separator: ",").split(separator: ",").contains { value in
            let value = value.trimmingPrefix { character in character == " " }
            return value == self.value || value == "*"
        }
    }
}
