import Foundation
import Testing

/// The code of `docs/apis-behind.md`, behind the real gateway with the file of that page.
@Suite(.serialized) struct APIsBehindTests {
    /// Sends requests through the gateway, past it, and to another address of the machine.
    private static func expectKnownCaller(in section: String, with python: URL?) async throws {
        let machine = try await ScratchMachine.start()
        for name in ["bearward", "bearward-dev"] { try machine.provide(name, in: "bin") }
        let python = try #require(python).path
        let outcome = try await machine.run("'\(python)' '\(Interop.script("apis_behind.py"))' \(section)")
        #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
    }

    @Test(.needsScratchMachine, .enabled(if: Interop.pythonWithFastAPI != nil, "FastAPI is not installed"))
    func `the FastAPI code names the caller, refuses requests without one, and listens on loopback`() async throws {
        try await Self.expectKnownCaller(in: "FastAPI", with: Interop.pythonWithFastAPI)
    }

    @Test(.needsScratchMachine, .enabled(if: Interop.hasSpring, "Spring MVC, Jetty or a JDK is not installed"))
    func `the Spring controller names the caller, refuses requests without one, and listens on loopback`() async throws
    {
        try await Self.expectKnownCaller(in: "Spring", with: Interop.python)
    }

    @Test(.needsScratchMachine, .enabled(if: Interop.hasExpress, "Express is not installed"))
    func `the Express code names the caller, refuses requests without one, and listens on loopback`() async throws {
        try await Self.expectKnownCaller(in: "Express", with: Interop.python)
    }
}
