/// Outcome of every scenario; simulated once for all tests.
struct FleetReport: Sendable {
    let start: FleetOutcome
    let startSaved: FleetOutcome
    let startLimited: FleetOutcome
    let downAtStart: FleetOutcome
    let downAtStartSaved: FleetOutcome
    let down: FleetOutcome
    let silent: FleetOutcome
    let stale: FleetOutcome
    let rotation: FleetOutcome
    let emergency: FleetOutcome
    let emergencyInFlood: FleetOutcome
    let flood: FleetOutcome
    let denyByAPI: FleetOutcome
    let denyByFile: FleetOutcome
    let denyWithoutStore: FleetOutcome
    let local: QuotaScenarios.Result
    let localSilent: QuotaScenarios.Result
    let localWithoutNodes: QuotaScenarios.Result
    let localAtOneNode: QuotaScenarios.Result
    let refuse: QuotaScenarios.Result

    /// Maximum number of fetches per second that a limited issuer answers.
    static let limit = 10
    /// Tokens per second with key IDs that do not exist.
    static let strays: Int64 = 1000
    /// Number of nodes in the fleet that is flooded for an hour.
    static let floodedNodes = 100

    static let shared = Task { try await FleetReport(FleetScale.asked) }

    init(_ scale: FleetScale) async throws {
        start = try KeyScenarios.startOfAll(scale)
        startSaved = try KeyScenarios.startOfAll(scale, saved: true)
        startLimited = try KeyScenarios.startAgainstLimit(scale, most: Self.limit)
        downAtStart = try KeyScenarios.downAtStart(scale, saved: false)
        downAtStartSaved = try KeyScenarios.downAtStart(scale, saved: true)
        down = try KeyScenarios.downWhileRunning(scale, .down)
        silent = try KeyScenarios.downWhileRunning(scale, .silent)
        stale = try KeyScenarios.downPastStaleLimit(scale)
        rotation = try KeyScenarios.rotationInAdvance(scale)
        emergency = try KeyScenarios.emergencyRotation(scale)
        emergencyInFlood = try KeyScenarios.emergencyRotation(scale, strays: Self.strays)
        flood = try KeyScenarios.flood(
            FleetScale(nodes: Self.floodedNodes, rate: scale.rate, seed: scale.seed), strays: Self.strays)
        denyByAPI = try await DenialScenarios.byAPI(scale)
        denyByFile = try await DenialScenarios.byFile(scale)
        denyWithoutStore = try await DenialScenarios.byAPIWithoutStore(scale)
        local = try QuotaScenarios.local(scale)
        localSilent = try QuotaScenarios.local(scale, .silent)
        localWithoutNodes = try QuotaScenarios.localWithoutNodes(scale)
        localAtOneNode = try QuotaScenarios.localAtOneNode(scale)
        refuse = try QuotaScenarios.refuse(scale)
    }

    var ofKeys: [FleetOutcome] {
        [
            start, startLimited, startSaved, downAtStart, downAtStartSaved, down, silent, stale, rotation, emergency,
            emergencyInFlood,
            flood,
        ]
    }

    var ofDenials: [FleetOutcome] { [denyByAPI, denyByFile, denyWithoutStore] }

    var ofQuotas: [QuotaScenarios.Result] { [local, localSilent, localWithoutNodes, localAtOneNode, refuse] }
}
