import DevelopmentIssuer
import StrictJSON

/// The token endpoint of a running development issuer, seen from a client.
struct TokenEndpoint {
    private let issuer: String

    init(issuer: String) {
        self.issuer = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    }

    func token(_ parameters: [(name: String, value: String)]) async throws(CommandFailure) -> String {
        let answer = try await answer(to: parameters)
        let json = try? JSONDocument(parsing: answer.body, limits: .document).root
        if answer.status == 200, let token = json?[member: "access_token"]?.string { return token }
        guard let error = json?[member: "error"]?.string else { throw .notAnIssuer(issuer, status: answer.status) }
        throw .tokenRefused(json?[member: "error_description"]?.string ?? error)
    }

    private func answer(to parameters: [(name: String, value: String)]) async throws(CommandFailure) -> PlainAnswer {
        let request = PlainRequest(
            method: "POST", url: issuer + "/token", fields: [("Content-Type", "application/x-www-form-urlencoded")],
            body: FormParameters.encode(parameters),
        )
        do {
            return try await request.answer()
        } catch {
            throw .nothingListens(issuer: issuer, cause: PlainRequest.cause(error))
        }
    }
}
