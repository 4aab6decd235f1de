import JOSE
import StrictJSON

extension SigningKey {
    /// Makes a compact JWS (RFC 7515 §7.1) of exactly these texts. Checks neither.
    public func compactJWS(header: String, payload: String) -> String {
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        return input + "." + Base64URL.encode(sign(Array(input.utf8)))
    }

    /// Makes a token with these claims and a header with `alg`, `kid` and, unless nil, `typ`.
    public func token(claimsJSON: String, type: String? = "at+jwt") -> String {
        let header = JSONObjectWriter.object { writer, bytes in
            writer.member("alg", string: algorithm.rawValue, into: &bytes)
            writer.member("kid", string: keyID, into: &bytes)
            if let type { writer.member("typ", string: type, into: &bytes) }
        }
        return compactJWS(header: String(decoding: header, as: UTF8.self), payload: claimsJSON)
    }

    /// A JWK set (RFC 7517 §5) of the keys' public halves.
    public static func jwkSetJSON(_ keys: [SigningKey]) -> String {
        #"{"keys":["# + keys.map(\.publicJWK).joined(separator: ",") + "]}"
    }
}
