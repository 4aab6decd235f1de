import DevelopmentIssuer
import JOSESigning

extension RunningDemo {
    func outcomes() async throws(CommandFailure) -> [DemoOutcome] {
        var outcomes: [DemoOutcome] = []
        for request in DemoRequest.all { outcomes.append(try await outcome(of: request)) }
        // The gateway must discover the new key by itself.
        guard (try? issuer.rotate()) != nil else { throw .tokenNotMade }
        outcomes.append(try await outcome(of: .afterRotation))
        return outcomes
    }

    private func outcome(of request: DemoRequest) async throws(CommandFailure) -> DemoOutcome {
        var fields = request.fields
        if let token = request.token { fields.append(("Authorization", "Bearer " + (try issuer.mint(token)))) }
        if request.body != nil { fields.append(("Content-Type", "application/json")) }
        let plain = PlainRequest(
            method: request.method, url: url + request.path, fields: fields, body: request.body)
        let answer = try await plain.answerOfGateway()
        return DemoOutcome(
            status: answer.status, title: "\(request.method) \(request.path) \(request.caller)",
            differences: request.differences(in: answer))
    }
}
