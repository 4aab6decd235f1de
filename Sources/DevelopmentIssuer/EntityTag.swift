import HTTPTypes
import Hummingbird
import NetworkNames

/// Entity tag of a response body, so that clients can revalidate it (RFC 9110 §8.8.3).
struct EntityTag: Sendable, Hashable {
    /// The tag as written in `ETag`, with its quotes.
    let value: String

    /// Makes a strong tag, a hash of the text. Key IDs are random, so two key sets at one address never have the same
    /// text.
    init(of text: String) {
        value = "\"" + String(FNV1a.hash(text.utf8.span), radix: 16) + "\""
    }

    /// Whether the client already has this body, by its `If-None-Match` (RFC 9110 §13.1.2).
    func isKnown(to request: Request) -> Bool {
        request.headers[values: .ifNoneMatch].joined(separator: ",").split(separator: ",").contains { value in
            let value = value.trimmingPrefix { character in character == " " }
            return value == self.value || value == "*"
        }
    }
}
