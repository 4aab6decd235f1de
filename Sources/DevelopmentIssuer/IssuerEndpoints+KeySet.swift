import HTTPTypes
import Hummingbird
import JOSESigning

extension IssuerEndpoints {
    /// The JWK set (RFC 7517 §5), with a validator so that asking again is cheap (RFC 9110 §13.1.2).
    func keySet(for request: Request) -> Response {
        let text = SigningKey.jwkSetJSON(state.publishedKeys)
        let validator = Self.validator(of: text)
        let fields: HTTPFields = [.eTag: validator, .cacheControl: "public, max-age=300"]
        let known = request.headers[values: .ifNoneMatch].joined(separator: ",").split(separator: ",").map { value in
            value.trimmingPrefix { character in character == " " }
        }
        guard !known.contains(where: { value in value == validator || value == "*" }) else {
            return Response(status: .notModified, headers: fields)
        }
        return .json(.ok, text, fields: fields)
    }

    /// A strong entity tag: the FNV-1a hash of the text. Key IDs are random, so no two sets of one address share a text.
    private static func validator(of text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "\"" + String(hash, radix: 16) + "\""
    }
}
