import DevelopmentIssuer
import Foundation
import Synchronization
import TestSupport

/// Faults around a gateway: of its issuer, its operator, and its log.
final class SoakTrouble: Sendable {
    private let issuer: AuthorizationServer
    private let tokens: SoakTokens
    private let served: ServedFile
    private let file: GatewayText
    private let log: URL
    private let all = Mutex<[String]>([])

    init(issuer: AuthorizationServer, tokens: SoakTokens, served: ServedFile, file: GatewayText, log: URL) {
        self.issuer = issuer
        self.tokens = tokens
        self.served = served
        self.file = file
        self.log = log
    }

    /// The faults so far, in order.
    var made: [String] { all.withLock { $0 } }

    private enum Kind: String, CaseIterable {
        case issuerFault, issuerIsWell, newTokens, goodReload, brokenReload, logRotation, strayKeyID
    }

    func make(_ random: inout SeededGenerator) async throws {
        let kind = random.pick(Kind.allCases)
        all.withLock { $0.append(kind.rawValue) }
        switch kind {
        case .issuerFault: issuer.fault(random.pick(NamedFault.allCases).fault)
        case .issuerIsWell: issuer.clearFaults()
        case .newTokens: try tokens.renew()
        case .goodReload: try reload(limit: Int.random(in: 1...1000, using: &random))
        case .brokenReload:
            try served.put("listen: [")
            served.gateway.signal(SIGHUP)
        case .logRotation: rotateLog()
        case .strayKeyID: try await askWithStrayKey()
        }
    }

    private func reload(limit: Int) throws {
        var new = file
        new.topLines = file.topLines.filter { !$0.hasPrefix("limits:") }
        new.topLines.append("limits: {body: \(limit)KiB, failed_verifications_per_address: off}")
        try served.put(new.text)
        served.gateway.signal(SIGHUP)
    }

    private func rotateLog() {
        let old = log.appendingPathExtension("1")
        try? FileManager.default.removeItem(at: old)
        try? FileManager.default.moveItem(at: log, to: old)
        served.gateway.signal(SIGUSR1)
        try? FileManager.default.removeItem(at: old)
    }

    private func askWithStrayKey() async throws {
        guard let good = tokens.present.good.first else { return }
        _ = try await served.ask("/api/ok/stray", token: StrayToken.made(of: good))
    }
}
