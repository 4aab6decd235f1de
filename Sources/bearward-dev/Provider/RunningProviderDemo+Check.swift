import DevelopmentIssuer
import JOSESigning
import ProviderFixtures

extension RunningProviderDemo {
    func outcomes() async throws(CommandFailure) -> [DemoOutcome] {
        var outcomes: [DemoOutcome] = []
        for gateway in gateways {
            for trial in trials(of: gateway) { outcomes.append(try await outcome(of: trial, at: gateway)) }
        }
        // The gateway must discover the new key by itself.
        guard (try? issuer.rotate()) != nil else { throw .tokenNotMade }
        guard let gateway = gateways.first,
            let trial = trials(of: gateway).first(where: { trial in trial.expectedReason == nil })
        else {
            return outcomes
        }
        return outcomes + [try await outcome(of: trial, at: gateway)]
    }

    private func outcome(of trial: SampleTrial, at gateway: ProviderGateway) async throws(CommandFailure) -> DemoOutcome
    {
        guard let minted = issuer.mint(SampleRequest(trial.sample.id)) else { throw .tokenNotMade }
        var request = PlainRequest(
            method: trial.call.method, url: gateway.url(of: trial),
            fields: [gateway.file.setup.provider.field(with: minted.token)])
        if trial.call.method == "POST" {
            request.fields.append(("Content-Type", "application/json"))
            request.body = DemoRequest.order
        }
        let answer = try await request.answerOfGateway()
        return DemoOutcome(
            status: answer.status, title: trial.summary,
            differences: trial.differences(
                status: Int(clamping: answer.status), challenge: answer.field("WWW-Authenticate")))
    }
}
