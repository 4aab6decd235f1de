import DevelopmentIssuer
import JOSESigning
import KeySetFetching
import ProviderFixtures

/// Makes every trial of a provider's samples and compares what comes.
struct ProviderDemoCheck {
    private let demo: RunningProviderDemo

    /// The order of the trials that place one.
    static let order = #"{"item":"mug","quantity":2}"#

    init(_ demo: RunningProviderDemo) {
        self.demo = demo
    }

    func run() async throws(CommandFailure) -> [ProviderDemoOutcome] {
        var outcomes: [ProviderDemoOutcome] = []
        for gateway in demo.gateways {
            for trial in trials(of: gateway) { outcomes.append(try await outcome(of: trial, at: gateway)) }
        }
        // The gateway must find out by itself that there is a new key.
        guard (try? demo.issuer.rotate()) != nil else { throw .tokenNotMade }
        guard let gateway = demo.gateways.first,
            let trial = trials(of: gateway).first(where: { trial in trial.expectedReason == nil })
        else {
            return outcomes
        }
        return outcomes + [try await outcome(of: trial, at: gateway)]
    }

    private func trials(of gateway: ProviderGateway) -> [SampleTrial] {
        demo.issuer.samples.trials.filter { trial in trial.variant == gateway.file.setup.variant }
    }

    private func outcome(of trial: SampleTrial, at gateway: ProviderGateway) async throws(CommandFailure)
        -> ProviderDemoOutcome
    {
        guard let minted = demo.issuer.mint(SampleRequest(trial.sample.id)) else { throw .tokenNotMade }
        var request = PlainRequest(
            method: trial.call.method, url: gateway.url(of: trial),
            fields: [("Authorization", "Bearer " + minted.token)])
        if trial.call.method == "POST" {
            request.fields.append(("Content-Type", "application/json"))
            request.body = Self.order
        }
        do {
            return ProviderDemoOutcome(trial, try await request.answer())
        } catch {
            throw .gatewayUnreachable(PlainReason.of(error))
        }
    }
}
