import UpstreamFleets

/// A request that waits for a place at a target, as its fleet knows it.
struct WaitingRequest: Sendable {
    /// The number of its event loop.
    let loop: Int
    /// Called once, on any thread, with its place; nil: no target can take requests any more.
    private let completion: @Sendable (FleetChoice?) -> Void

    init(on loop: Int, _ completion: @escaping @Sendable (FleetChoice?) -> Void) {
        self.loop = loop
        self.completion = completion
    }

    func admit(_ choice: FleetChoice) { completion(choice) }

    func refuse() { completion(nil) }
}
