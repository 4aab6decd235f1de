import DevelopmentIssuer
import ProviderFixtures

extension RunningProviderDemo {
    /// Text with each gateway's configuration file, and requests to paste into a terminal, with their expected status.
    func guide() -> String {
        let sections = gateways.map { gateway in section(for: gateway) }
        let last =
            "# All samples: \(command) token --issuer \(issuer.url) --list-samples\n# Ctrl-C stops everything. The access log follows."
        return (sections + [last]).joined(separator: "\n\n")
    }

    private func section(for gateway: ProviderGateway) -> String {
        let requests = trials(of: gateway).map { trial in "# \(Self.title(of: trial))\n\(curl(trial, gateway))" }
        let head =
            "# A gateway (setup: \(gateway.file.setup.variant)) listens at \(gateway.gateway.url) with this file:\n\n\(gateway.file.text)"
        return ([head, "# Ask, and compare the status:"] + requests).joined(separator: "\n\n")
    }

    /// Heading of a request: expected status, rejection reason as in the access log, the request, and the token's
    /// fault.
    private static func title(of trial: SampleTrial) -> String {
        let status = trial.expectedStatus ?? trial.forwardedStatus
        let reason = trial.expectedReason.map { reason in " " + reason } ?? ""
        return "\(status)\(reason)  \(trial.summary)"
    }

    /// Command line for a request. It makes the token when it is run, so that the token is fresh.
    private func curl(_ trial: SampleTrial, _ gateway: ProviderGateway) -> String {
        var words = ["curl -i"]
        let token = "$(\(command) token --issuer \(issuer.url) --sample \(trial.sample.id))"
        let field = gateway.file.setup.provider.field(with: token)
        words.append("-H \"\(field.name): \(field.value)\"")
        if trial.call.method == "POST" {
            words.append("-H \"Content-Type: application/json\" -d '\(DemoRequest.order)'")
        }
        return (words + [gateway.url(of: trial)]).joined(separator: " ")
    }

    /// Path of this program as the user has called it.
    private var command: String {
        CommandLine.arguments.first ?? "bearward-dev"
    }
}
