import FoundationEssentials
import Hummingbird
import NIOCore

extension Request {
    /// The longest body that is read.
    private static let longestForm = 16 * 1024

    /// The body as text; nil if it is too long.
    func form() async -> String? {
        guard let body = try? await body.collect(upTo: Self.longestForm) else { return nil }
        return String(buffer: body)
    }

    /// The body of a token request, which says that it is a form (RFC 6749 §3.2).
    func declaredForm() async throws(TokenEndpointError) -> String {
        let type = headers[.contentType]?.split(separator: ";").first?.lowercased().split { $0 == " " || $0 == "\t" }
        guard type == ["application/x-www-form-urlencoded"], let text = await form() else {
            throw .notAForm
        }
        return text
    }
}
