import AccessControl
import JOSE
import KnownTokens
import NetworkNames
import TestSupport
import Testing
import TokenVerification

@testable import RequestHistory
@testable import ReverseProxy

struct PendingCallersTests {
    @Test func `requests are counted once each, whichever callers share a place`() throws {
        let secret = try #require(TokenDigestKey())
        let tokens = (0..<400).compactMap { secret.digest(of: Array("token \($0)".utf8).span) }
        try #require(tokens.count == 400)
        let configuration = try GatewaySettings().configuration(for: [])
        var generator = SeededGenerator(seed: 9)
        var (pending, windows) = (PendingCallers(), CallerWindows())
        var truth: [String: UInt64] = [:]
        for now in Int64(0)..<5_000 {
            // Few callers send most, so that some wait in the table and some are replaced.
            let caller = generator.once(in: 2) ? Int.random(in: 0..<8, using: &generator) : Int(now) % tokens.count
            let address = IPAddress(ipv4: UInt32(caller % 50))
            let text = Array(address.description.utf8)
            let place = generator.once(in: 4) ? nil : (resource: ResourceIndex(0), rule: RuleIndex(0))
            let key = PendingCallers.Key(token: tokens[caller], address: address, issuer: IssuerIndex(0), place: place)
            truth[address.description, default: 0] += 1
            if pending.take(key, TokenRecordBytes(), address: text) { continue }
            pending.begin(key, into: &windows, configuration, at: now)
            let requests = CallerWindows.Requests(count: 1, configuration: configuration, place: place, now: now)
            windows.countAddress(address, text.span, requests)
        }
        let early = windows.addresses.summary.total
        #expect(early < 5_000)
        pending.removeAll(into: &windows, configuration, at: 5_000)
        let entries = windows.addresses.summary.entries
        #expect(
            Dictionary(uniqueKeysWithValues: entries.map { (String(decoding: $0.key, as: UTF8.self), $0.count) })
                == truth)
        pending.removeAll(into: &windows, configuration, at: 5_000)
        #expect(windows.addresses.summary.total == 5_000)
    }

    @Test func `the memory of the table is as stated`() {
        #expect(PendingCallers.mostBytes == 144_384)
    }
}
