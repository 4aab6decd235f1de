import ArgumentParser
import DevelopmentIssuer

/// Reason why a command failed.
enum CommandFailure: Error, Hashable, Sendable {
    /// A server's address could not be bound. The option chooses another address.
    case notBound(ServerStartFailure, option: String)
    case gatewayNotStarted(String, option: String)
    case nothingListens(issuer: String, cause: String)
    /// A server answers at the URL, but not as a token endpoint.
    case notAnIssuer(String, status: UInt)
    /// The issuer at the URL does not play a provider, so it has no samples.
    case noSamples(issuer: String)
    /// The issuer refused the request, with this description.
    case tokenRefused(String)
    /// The issuer has no sample with this name; samples with similar names are listed.
    case unknownSample(String, near: [String])
    case configurationRefused([String])
    case gatewayUnreachable(String)
    case demoDiffers(count: Int, of: Int)
    case tokenNotMade

    var exitCode: ExitCode {
        switch self {
        case .notBound, .gatewayNotStarted, .nothingListens, .notAnIssuer, .noSamples, .gatewayUnreachable: ExitCode(69)
        case .tokenRefused, .unknownSample: ExitCode(64)
        case .configurationRefused: ExitCode(78)
        case .demoDiffers, .tokenNotMade: ExitCode(70)
        }
    }

    var description: String {
        switch self {
        case .notBound(let failure, let option): "\(failure); choose another with \(option) HOST:PORT"
        case .gatewayNotStarted(let cause, let option):
            "the gateway did not start: \(cause); choose another address with \(option) HOST:PORT"
        case .nothingListens(let issuer, let cause):
            "no issuer answers at \(issuer) (\(cause)); start one with `bearward-dev issuer`, or say where it is with --issuer URL"
        case .notAnIssuer(let issuer, let status): "\(issuer) answered \(status): that is no development issuer"
        case .noSamples(let issuer):
            "\(issuer) has no samples, because it was started without --as; start one with `bearward-dev issuer --as NAME`"
        case .tokenRefused(let cause): "the issuer refused the request: \(cause)"
        case .unknownSample(let name, let near):
            "the issuer has no sample \(name); did you mean \(near.joined(separator: ", "))? All of them: --list-samples"
        case .configurationRefused(let problems): "the demo's file was refused\n" + problems.joined(separator: "\n")
        case .gatewayUnreachable(let cause): "the gateway did not answer: \(cause)"
        case .demoDiffers(let count, let total): "\(count) of \(total) answers were not as expected"
        case .tokenNotMade: "a token could not be made"
        }
    }
}
