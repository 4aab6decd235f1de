import JOSE
import JOSESigning
import KeySets
import TestSupport
import TokenVerification

/// Scenarios with the keys of a fleet.
enum KeyScenarios {
    private static let second = VirtualTime.second
    static let newKey: SigningKey = {
        guard let key = try? SigningKey.generate(.rs256, keyID: "k2") else { preconditionFailure("no key") }
        return key
    }()
    private static let strayKey: SigningKey = {
        guard let key = try? SigningKey.generate(.es256, keyID: "nobody-has-it") else { preconditionFailure("no key") }
        return key
    }()
    private static let old = TestKeys.keySet([TestKeys.rsa])
    private static let both = TestKeys.keySet([TestKeys.rsa, newKey])
    private static let new = TestKeys.keySet([newKey])
    /// One of this many requests has a token issued after a rotation.
    private static let partOfRotated: Int64 = 100
    /// Requests per second, at all nodes together, with tokens signed by a withdrawn key.
    static let withdrawnRate: Int64 = 250

    /// A fleet that has run for ten minutes, so that its fetches are spread over time.
    private static func running(
        _ scale: FleetScale, until end: Int64, judgesEach: Bool = false,
        _ configure: (inout KeySetConfiguration) -> Void = { _ in }
    ) throws -> KeyFleet {
        let fleet = try KeyFleet(scale, SimulatedIssuer(old), judgesEach: judgesEach, configure: configure)
        fleet.start(within: 300 * second)
        try fleet.send(.usual, rate: scale.rate, by: TestKeys.rsa, from: begin, until: end)
        return fleet
    }

    /// Time at which the tested event begins.
    static let begin = 900 * second

    private static func outcome(
        _ name: String, _ fleet: KeyFleet, from begin: Int64, to end: Int64, good: [Tally], bad: Tally? = nil
    ) -> FleetOutcome {
        FleetOutcome(
            name: name, fetches: fleet.issuer.count(from: begin, to: end),
            peak: fleet.issuer.peak(from: begin, to: end),
            good: good.reduce(0) { $0 + $1.all }, goodRefused: good.reduce(0) { $0 + $1.notForwarded },
            badForwarded: bad?.forwarded,
            converged: fleet.caughtUpAfter, unexplained: fleet.unexplained)
    }

    // MARK: Start

    /// Starts all nodes at the same instant, with requests from the same instant on.
    ///
    /// - Parameter sending: duration of the requests.
    static func startOfAll(
        _ scale: FleetScale, saved: Bool = false, sending: Int64 = 3600 * second, judgesEach: Bool = false
    ) throws -> FleetOutcome {
        let end = 3600 * second
        let kept = SavedKeySet(document: old, fetchedAt: VirtualTime.date(-60 * second))
        let fleet = try KeyFleet(scale, SimulatedIssuer(old), restoring: saved ? kept : nil, judgesEach: judgesEach)
        fleet.start()
        try fleet.send(.usual, rate: scale.rate, by: TestKeys.rsa, from: 1, until: sending)
        fleet.run(until: end)
        let name = saved ? "All nodes start at once, keys saved on disk" : "All nodes start at once, nothing saved"
        var outcome = outcome(name, fleet, from: 0, to: end, good: [fleet.tally(.usual)])
        outcome.laterPeak = fleet.issuer.peak(from: 10 * second, to: end)
        return outcome
    }

    /// Starts all nodes at the same instant, without requests, against an issuer with a rate limit.
    static func startAgainstLimit(_ scale: FleetScale, most: Int) throws -> FleetOutcome {
        let end = 600 * second
        var issuer = SimulatedIssuer(old)
        issuer.most = most
        let fleet = try KeyFleet(scale, issuer)
        fleet.start()
        fleet.run(until: end)
        let name = "The same, and the issuer answers \(most) fetches a second, others 429 with `Retry-After: 30`"
        return outcome(name, fleet, from: 0, to: end, good: [])
    }

    // MARK: An issuer that is down

    static func downAtStart(_ scale: FleetScale, saved: Bool) throws -> FleetOutcome {
        let (outage, end) = (600 * second, 900 * second)
        var issuer = SimulatedIssuer(old)
        issuer.state = .down
        let kept = SavedKeySet(document: old, fetchedAt: VirtualTime.date(-60 * second))
        let fleet = try KeyFleet(scale, issuer, restoring: saved ? kept : nil)
        fleet.start()
        try fleet.send(.usual, rate: scale.rate, by: TestKeys.rsa, from: 1, until: end)
        fleet.at(outage) { $0.endOutage() }
        fleet.run(until: end)
        let name =
            "Issuer down for 10 minutes, all nodes start meanwhile, \(saved ? "keys saved on disk" : "nothing saved")"
        return outcome(name, fleet, from: 0, to: outage, good: [fleet.tally(.usual)])
    }

    /// - Parameter state: kind of outage.
    static func downWhileRunning(_ scale: FleetScale, _ state: SimulatedIssuer.State) throws -> FleetOutcome {
        let end = begin + 7200 * second
        let fleet = try running(scale, until: end)
        fleet.at(begin) { $0.issuer.state = state }
        fleet.at(begin + 3600 * second) { $0.endOutage() }
        fleet.run(until: end)
        let how = state == .silent ? "silent" : "down"
        return outcome(
            "Issuer \(how) for an hour, nodes have keys", fleet, from: begin, to: begin + 3600 * second,
            good: [fleet.tally(.usual)])
    }

    /// An outage longer than the stale limit. Refusals begin exactly at the limit, and end with the first fetch after
    /// the outage.
    static func downPastStaleLimit(_ scale: FleetScale) throws -> FleetOutcome {
        let end = begin + 1800 * second
        let fleet = try running(scale, until: end) { $0.staleLimit = .seconds(600) }
        fleet.at(begin) { $0.issuer.state = .down }
        fleet.at(begin + 1200 * second) { $0.endOutage() }
        fleet.run(until: end)
        let name = "Issuer down for 20 minutes, nodes have keys, `stale_for: 10m`"
        return outcome(name, fleet, from: begin, to: begin + 1200 * second, good: [fleet.tally(.usual)])
    }

    // MARK: Rotations

    /// The new key is published ten minutes before tokens use it, and the old one stays in the document.
    static func rotationInAdvance(_ scale: FleetScale) throws -> FleetOutcome {
        let (use, end) = (begin + 600 * second, begin + 1200 * second)
        let fleet = try running(scale, until: end)
        fleet.at(begin) { $0.publish(both) }
        try fleet.send(.rotated, rate: scale.rate / partOfRotated, by: newKey, from: use, until: end)
        fleet.run(until: end)
        let good = [fleet.tally(.usual), fleet.tally(.rotated)]
        return outcome("Rotation, published 10 minutes before its first token", fleet, from: begin, to: end, good: good)
    }

    /// The old key is removed from the document at the instant when tokens begin to use the new one.
    ///
    /// - Parameter strays: tokens per second with key IDs that do not exist, at all nodes together, from 61 seconds
    ///   before to a minute after the rotation. So the next fetch for an unknown key ID is almost as far away as
    ///   possible.
    static func emergencyRotation(_ scale: FleetScale, strays: Int64 = 0, judgesEach: Bool = false) throws
        -> FleetOutcome
    {
        let (rotation, end) = (begin + 61 * second, begin + 600 * second)
        let fleet = try running(scale, until: rotation, judgesEach: judgesEach)
        if strays > 0 { try fleet.send(.stray, rate: strays, by: strayKey, from: begin, until: rotation + 60 * second) }
        fleet.at(rotation) { $0.publish(new) }
        fleet.run(until: rotation)
        let before = fleet.tally(.usual)
        for node in fleet.nodes { node.tallies[.usual] = nil }
        // From now on these tokens are invalid.
        try fleet.send(
            .usual, rate: min(withdrawnRate, scale.rate / partOfRotated), by: TestKeys.rsa, from: rotation,
            until: rotation + 120 * second)
        try fleet.send(.rotated, rate: scale.rate / partOfRotated, by: newKey, from: rotation, until: end)
        fleet.run(until: end)
        let name =
            "Rotation in an emergency, old key withdrawn at once" + (strays > 0 ? ", in a flood of unknown `kid`s" : "")
        let good = [before, fleet.tally(.rotated)]
        return outcome(name, fleet, from: rotation, to: end, good: good, bad: fleet.tally(.usual))
    }

    /// Clients send tokens with key IDs that do not exist.
    static func flood(_ scale: FleetScale, strays: Int64, judgesEach: Bool = false) throws -> FleetOutcome {
        let end = begin + 3600 * second
        let fleet = try running(scale, until: end, judgesEach: judgesEach)
        try fleet.send(.stray, rate: strays, by: strayKey, from: begin, until: end)
        fleet.run(until: end)
        var outcome = outcome(
            "Flood of unknown `kid`s for an hour, \(scale.nodes) nodes", fleet, from: begin, to: end,
            good: [fleet.tally(.usual)])
        outcome.badForwarded = fleet.tally(.stray).forwarded
        outcome.converged = nil
        return outcome
    }
}

extension KeyFleet {
    fileprivate func endOutage() {
        issuer.state = .up
        beginCatchingUp()
    }

    fileprivate func publish(_ keys: KeySet) {
        issuer.keys = keys
        beginCatchingUp()
    }
}
