import ProxySettings

/// Warns of upstreams that are listeners of the gateway itself. A request would loop until a limit stops it.
enum OwnListeners {
    /// Reports the upstreams. Groups with their own `Host` are skipped: they may mean another resource of the gateway.
    static func warn(_ configuration: Configuration, _ reading: Reading) {
        let targets = Set(configuration.upstreams.filter { $0.hostOverride == nil }.flatMap(\.targets))
        for named in configuration.targets where targets.contains(named.target) && named.target.socketPath == nil {
            guard let address = ListenAddress(named.target.authority),
                let listener = configuration.listen.first(where: { $0.address.isReached(at: address) })
            else { continue }
            reading.report(
                named.place.problem(
                    .warning,
                    "`\(named.target.name)` is this gateway's own listener `\(listener.address.text)`: requests would come back",
                    hint: "write the API's address, or `upstream_host` if another resource of this gateway is meant"))
        }
    }
}
