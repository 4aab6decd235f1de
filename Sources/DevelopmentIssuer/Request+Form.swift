import FoundationEssentials
import Hummingbird
import NIOCore

extension Request {
    /// Maximum size of a form, in bytes.
    private static let longestForm = 16 * 1024

    /// Reads the body as text. Nil if it is too long.
    func form() async -> String? {
        guard let body = try? await body.collect(upTo: Self.longestForm) else { return nil }
        return String(buffer: body)
    }

    /// Reads the body of a token request, which must be declared as a form (RFC 6749 §3.2).
    func declaredForm() async throws(TokenEndpointError) -> String {
        let type = headers[.contentType]?.split(separator: ";").first?.lowercased().split { $0 == " " || $0 == "\t" }
        guard type == ["application/x-www-form-urlencoded"], let text = await form() else {
            throw .notAForm
        }
        return text
    }
}
