import ConfigurationFile
import ProxySettings
import ReverseProxy
import TransportSecurity

/// Tries to connect to the upstreams of a configuration, for commands such as `bearward check`.
public struct UpstreamTrial: Sendable {
    /// Maximum number of simultaneous attempts.
    private static let atOnce = 16

    private let targets: [ConfiguredTarget]
    private let probe: UpstreamProbe

    public init(_ configuration: Configuration) {
        targets = configuration.targets
        probe = UpstreamProbe(connect: configuration.timeouts.connect)
    }

    /// Connects to each target once, with TLS if configured.
    ///
    /// - Parameter tell: called with each outcome as soon as it is known.
    /// - Returns: all outcomes, in the order of the file.
    public func run(_ tell: (Problem) -> Void) async -> [Problem] {
        await withTaskGroup(of: (Int, Problem).self) { group in
            var found: [(Int, Problem)] = []
            for (index, target) in targets.enumerated() {
                if index >= Self.atOnce, let ended = await group.next() { found.append(told(ended, tell)) }
                group.addTask { (index, await problem(of: target)) }
            }
            for await ended in group { found.append(told(ended, tell)) }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func told(_ ended: (Int, Problem), _ tell: (Problem) -> Void) -> (Int, Problem) {
        tell(ended.1)
        return ended
    }

    private func problem(of target: ConfiguredTarget) async -> Problem {
        switch await outcome(target.target) {
        case .connected(nil): target.problem(.note, "connected")
        case .connected(let agreed?): target.problem(.note, "connected (\(agreed))")
        case .failed(let cause): target.problem(.error, cause)
        }
    }

    private func outcome(_ target: UpstreamTarget) async -> UpstreamProbe.Outcome {
        guard let settings = target.security else { return await probe.attempt(target, nil) }
        do throws(TLSMaterialFailure) {
            return await probe.attempt(target, UpstreamTLS(try await TLSMaterial.security(of: settings)))
        } catch {
            return .failed("\(error)")
        }
    }
}
