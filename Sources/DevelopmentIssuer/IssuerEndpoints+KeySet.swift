import HTTPTypes
import Hummingbird
import JOSESigning

extension IssuerEndpoints {
    /// Answers with the JWK set (RFC 7517 §5), with an `ETag` so that clients can revalidate it.
    ///
    /// - Parameter missing: index of a key to leave out. Nil for none.
    func keySet(for request: Request, without missing: Int? = nil) -> Response {
        var keys = state.publishedKeys
        if let missing, keys.indices.contains(missing) { keys.remove(at: missing) }
        let text = SigningKey.jwkSetJSON(keys)
        let tag = EntityTag(of: text)
        let fields: HTTPFields = [.eTag: tag.value, .cacheControl: "public, max-age=300"]
        return tag.isKnown(to: request)
            ? Response(status: .notModified, headers: fields) : .json(.ok, text, fields: fields)
    }
}
