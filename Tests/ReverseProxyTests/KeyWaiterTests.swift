import Logging
import NameLookup
import NetworkNames
import Testing

@testable import ReverseProxy

/// Shares of `limits.waiting_for_keys`.
@Suite struct KeyWaiterTests {
    private func state() throws -> GatewayState {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return GatewayState(
            accessLog: try AccessLog(.none, logger: logger), memory: MemoryWatch(),
            names: NameResolver(logger: logger), logger: logger)
    }

    @Test func `all that wait for unknown realms have half of the slots, and others the rest`() throws {
        let state = try state()
        #expect((0..<4).map { _ in state.enterWait(.unknownRealm, limit: 5) } == [true, true, true, false])
        #expect((0..<3).map { _ in state.enterWait(.keys, limit: 5) } == [true, true, false])
        state.leaveWait(.unknownRealm)
        #expect(state.enterWait(.unknownRealm, limit: 5))
        #expect(!state.enterWait(.unknownRealm, limit: 5))
        // A slot that is refused as a whole takes nothing of the share.
        state.leaveWait(.unknownRealm)
        #expect(state.enterWait(.keys, limit: 5))
        #expect(!state.enterWait(.unknownRealm, limit: 5))
        state.leaveWait(.keys)
        #expect(state.enterWait(.unknownRealm, limit: 5))
    }

    @Test func `no client has more than half of the slots for its opaque tokens`() throws {
        let state = try state()
        let (one, other) = (IPAddress("192.0.2.1"), IPAddress("192.0.2.2"))
        #expect((0..<3).map { _ in state.enterWait(.introspection(one), limit: 4) } == [true, true, false])
        #expect((0..<3).map { _ in state.enterWait(.introspection(other), limit: 4) } == [true, true, false])
        #expect(!state.enterWait(.introspection(nil), limit: 4))
        state.leaveWait(.introspection(one))
        #expect(state.enterWait(.introspection(nil), limit: 4))
    }
}
