import ProxySettings

/// Warns of upstreams that are listeners of the gateway itself: a request would come back until a limit ends it.
enum OwnListeners {
    /// Where a group states a `Host` of its own, another resource of the gateway may be meant.
    static func warn(_ configuration: Configuration, _ reading: Reading) {
        let targets = Set(configuration.upstreams.filter { $0.hostOverride == nil }.flatMap(\.targets))
        for place in configuration.upstreamPlaces where targets.contains(place.target) && place.target.socketPath == nil
        {
            guard let address = ListenAddress(place.target.authority),
                let listener = configuration.listen.first(where: { $0.address.isReached(at: address) })
            else { continue }
            reading.report(
                place.place.problem(
                    .warning,
                    "`\(place.target.name)` is this gateway's own listener `\(listener.address.text)`: requests would come back",
                    hint: "write the API's address, or `upstream_host` if another resource of this gateway is meant"))
        }
    }
}
