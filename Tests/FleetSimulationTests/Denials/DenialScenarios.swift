/// Scenarios of a denial in a whole fleet.
enum DenialScenarios {
    private static let second = VirtualTime.second
    static let begin = 10 * second
    static let outage = 60 * second
    /// Requests per second with the stolen token.
    static let rate: Int64 = 1000

    static func byAPI(_ scale: FleetScale) async throws -> FleetOutcome {
        let fleet = try DenialFleet(scale, rate: rate, until: begin + 10 * second)
        fleet.denyByAPI(at: begin)
        await fleet.run()
        return fleet.outcome("Deny by API at one node, shared by Redis", since: begin)
    }

    static func byFile(_ scale: FleetScale) async throws -> FleetOutcome {
        let fleet = try DenialFleet(scale, rate: rate, until: begin + 10 * second)
        fleet.denyByFile(at: begin)
        await fleet.run()
        return fleet.outcome("Deny by `deny_file`, changed on all nodes at once", since: begin)
    }

    /// The node that was asked answers 503 and denies the token; the others learn of it when the store is back.
    static func byAPIWithoutStore(_ scale: FleetScale) async throws -> FleetOutcome {
        let fleet = try DenialFleet(scale, rate: rate, until: begin + outage + 10 * second)
        fleet.storeIsDown(from: begin - second, to: begin + outage)
        fleet.denyByAPI(at: begin)
        await fleet.run()
        return fleet.outcome("Deny by API while Redis is down for a minute", since: begin)
    }
}
