import DevelopmentIssuer
import KeySetFetching
import StrictJSON

/// Client of a running development issuer's token endpoint.
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

    /// One line for each sample of an issuer that plays a provider: its ID, the expected result, and the reason.
    func samples() async throws(CommandFailure) -> [String] {
        let samples = try await listing()
        let width = samples.map { sample in sample[member: "id"]?.string?.count ?? 0 }.max() ?? 0
        return samples.map { sample in Self.line(of: sample, width: width) }
    }

    /// IDs of all samples.
    func sampleIDs() async throws(CommandFailure) -> [String] {
        try await listing().compactMap { sample in sample[member: "id"]?.string }
    }

    private func listing() async throws(CommandFailure) -> [JSONValue] {
        let answer = try await answer(to: PlainRequest(method: "GET", url: issuer + "/samples"))
        let json = try? JSONDocument(parsing: answer.body, limits: .document).root
        guard answer.status == 200, let samples = json?[member: "samples"]?.elements.map({ sample in sample }) else {
            throw .noSamples(issuer: issuer)
        }
        return samples
    }

    private static func line(of sample: JSONValue, width: Int) -> String {
        let id = sample[member: "id"]?.string ?? ""
        let expected = sample[member: "expected"]?.string ?? "let in"
        let why = sample[member: "why"]?.string.map { why in ": " + why } ?? ""
        return id + String(repeating: " ", count: max(0, width - id.count) + 2) + expected + why
    }

    private func answer(to parameters: [(name: String, value: String)]) async throws(CommandFailure) -> PlainAnswer {
        try await answer(
            to: PlainRequest(
                method: "POST", url: issuer + "/token", fields: [("Content-Type", "application/x-www-form-urlencoded")],
                body: FormParameters.encode(parameters),
            ))
    }

    private func answer(to request: PlainRequest) async throws(CommandFailure) -> PlainAnswer {
        do {
            return try await request.answer()
        } catch {
            throw .nothingListens(issuer: issuer, cause: PlainReason.of(error))
        }
    }
}
