import DevelopmentIssuer
import JOSESigning
import KeySetFetching

/// Makes the demo's requests and compares what comes.
struct DemoCheck {
    private let demo: RunningDemo

    init(_ demo: RunningDemo) {
        self.demo = demo
    }

    func run() async throws(CommandFailure) -> [DemoOutcome] {
        var outcomes: [DemoOutcome] = []
        for request in DemoRequest.all { outcomes.append(try await outcome(of: request)) }
        // The gateway must find out by itself that there is a new key.
        guard (try? demo.issuer.rotate()) != nil else { throw .tokenNotMade }
        outcomes.append(try await outcome(of: .afterRotation))
        return outcomes
    }

    private func outcome(of request: DemoRequest) async throws(CommandFailure) -> DemoOutcome {
        var fields = request.fields
        if let token = request.token { fields.append(("Authorization", "Bearer " + (try demo.issuer.mint(token)))) }
        if request.body != nil { fields.append(("Content-Type", "application/json")) }
        let plain = PlainRequest(
            method: request.method, url: demo.url + request.path, fields: fields, body: request.body)
        do {
            return DemoOutcome(request, try await plain.answer())
        } catch {
            throw .gatewayUnreachable(PlainReason.of(error))
        }
    }
}
