import ConfigurationFile
import ProxySettings
import TestSupport
import Testing
import TokenVerification

/// Fleets in a file, as the gateway receives them.
struct FleetReaderTests {
    private func group(_ upstream: String) throws -> UpstreamGroup {
        let text = try ProblemCase.base().replacing("upstream: http://127.0.0.1:9000", with: "upstream: \(upstream)")
        let result = Configuration.load(
            text: text, directory: ProblemCase.directory, environment: ProblemCase.environment)
        guard case .success(let configuration, _) = result else {
            throw NotTaken(problems: result.problems.map { "\($0)" })
        }
        return try #require(configuration.upstreams.first)
    }

    private struct NotTaken: Error {
        let problems: [String]
    }

    @Test func `every key of an upstream reaches the fleet settings`() throws {
        let group = try group(
            """
            {targets: [http://10.0.0.7:9000, {url: http://10.0.0.8:9000, weight: 2}], balance: {hash: {header: X-Cart}},
                  eject: {failures: 3, for: 30s, most: 1}, retries: {budget: 5%, methods: [GET], on: [connect, closed]}, slow_start: 20s,
                  connections: {most: 7, waiting: 3, wait: 250ms}}
            """)
        #expect(group.targets.map(\.authority) == ["10.0.0.7:9000", "10.0.0.8:9000"] && group.weights == [1, 2])
        #expect(
            group.fleet
                == FleetSettings(
                    balance: .hash(.field("X-Cart")),
                    ejection: FleetSettings.Ejection(failures: 3, duration: .seconds(30), most: .count(1)),
                    retries: FleetSettings.Retries(budget: 5, methods: ["GET"], causes: [.connect, .closed]),
                    slowStart: .seconds(20),
                    connections: FleetSettings.Connections(most: 7, waiting: 3, wait: .milliseconds(250))))
    }

    @Test func `every health check key reaches the fleet settings`() throws {
        let check = try group(
            """
            {targets: http://10.0.0.7:9000, health: {path: "/healthz?deep=1", host: "shop.internal:81", every: 9s, timeout: 1500ms,
                  down_after: 4, up_after: 5, expect: 200-204}}
            """
        ).fleet.health
        #expect(
            check
                == HealthCheck(
                    .http(path: "/healthz?deep=1", expect: 200...204), host: "shop.internal:81", interval: .seconds(9),
                    timeout: .milliseconds(1500), downAfter: 4, upAfter: 5))
        let single = try group("{targets: http://10.0.0.7:9000, health: {path: /, expect: 401}}").fleet.health
        #expect(single == HealthCheck(.http(path: "/", expect: 401...401)))
        #expect(
            try group("{targets: h2c://10.0.0.7:9000, health: {grpc: shop.Cart}}").fleet.health
                == HealthCheck(.grpc(service: "shop.Cart")))
        #expect(
            try group("{targets: https://10.0.0.7, health: {grpc: \"*\"}}").fleet.health
                == HealthCheck(.grpc(service: "")))
    }

    @Test func `omitted fleet settings have their defaults, and a plain list balances by round robin`() throws {
        let fleet = try group("{targets: [http://10.0.0.7:9000, http://10.0.0.8:9000]}").fleet
        #expect(fleet.health == nil && fleet.connections == nil)
        let bounded = try group("{targets: http://10.0.0.7:9000, connections: {most: 5}}").fleet.connections
        #expect(bounded == FleetSettings.Connections(most: 5, waiting: 1024, wait: .seconds(1)))
        #expect(fleet == FleetSettings(balance: .leastRequests))
        let list = try group("[http://10.0.0.7:9000, http://10.0.0.8:9000]").fleet
        #expect(list == FleetSettings(balance: .roundRobin))
        #expect(list.ejection == FleetSettings.Ejection(failures: 5, duration: .seconds(10), most: .half))
        #expect(list.retries.causes == [.connect, .reusedClosed, .refused] && list.retries.budget == 20)
    }

    @Test func `a Unix socket is accepted as target`() throws {
        let group = try group(
            "{targets: [http+unix:///run/shop.sock, {url: \"H2C+Unix:///run/a b%20\", weight: 2}, http://10.0.0.7:9000]}"
        )
        #expect(
            group.targets == [
                UpstreamTarget(socketPath: "/run/shop.sock"),
                UpstreamTarget(socketPath: "/run/a b%20", protocols: .http2),
                UpstreamTarget(host: "10.0.0.7", port: 9000),
            ])
        #expect(
            group.targets.map(\.name) == ["unix:/run/shop.sock", "unix:/run/a b%20", "10.0.0.7:9000"]
                && group.basePath.isEmpty)
        #expect(try self.group("http+unix:///run/shop.sock").targets == [UpstreamTarget(socketPath: "/run/shop.sock")])
    }

    @Test func `each address of a DNS name may be a target`() throws {
        let group = try group(
            "{targets: [{dns: http://shop.internal:9000}, {dns: h2c://cart.internal, weight: 3}, http://10.0.0.7]}")
        #expect(
            group.targets == [
                UpstreamTarget(host: "shop.internal", port: 9000, isEveryAddress: true),
                UpstreamTarget(host: "cart.internal", port: 80, protocols: .http2, isEveryAddress: true),
                UpstreamTarget(host: "10.0.0.7", port: 80),
            ])
        #expect(group.weights == [1, 3, 1])
        let one = group.targets[0].at("fd00::7")
        #expect(
            one.name == "[fd00::7]:9000" && one.authority == "shop.internal:9000"
                && one.countedAs == "shop.internal:9000")
        #expect(!one.isEveryAddress && one != group.targets[0])
    }

    @Test func `off turns ejection and retries off`() throws {
        let fleet = try group("{targets: [http://10.0.0.7:9000, http://10.0.0.8:9000], eject: off, retries: off}").fleet
        #expect(fleet.ejection == nil)
        #expect(fleet.retries.causes.isEmpty && fleet.retries.methods.isEmpty && fleet.retries.budget == 0)
    }
}
