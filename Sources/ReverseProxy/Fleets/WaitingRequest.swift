import UpstreamFleets

/// Request that waits for a slot at a target, as its fleet knows it.
struct WaitingRequest: Sendable {
    /// Number of the request's event loop.
    let loop: Int
    /// Called once, on any thread, with the slot. Nil if no target can take requests any more.
    private let completion: @Sendable (FleetChoice?) -> Void

    init(on loop: Int, _ completion: @escaping @Sendable (FleetChoice?) -> Void) {
        self.loop = loop
        self.completion = completion
    }

    func admit(_ choice: FleetChoice) { completion(choice) }

    func refuse() { completion(nil) }
}
