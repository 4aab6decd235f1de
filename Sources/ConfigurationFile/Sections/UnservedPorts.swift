import AccessControl

/// Tells of places that name a port which no listener has.
///
/// Nothing need be wrong: a proxy before the gateway may have the port, and send `Host` as its client wrote it. Without
/// one, every request is 404.
enum UnservedPorts {
    static func note(_ places: [PlacePattern: Value], _ configuration: Configuration) {
        let listening = Set(configuration.listen.map(\.address.port))
        // Of port 0 the system makes another, and at a door the port is one of the proxy's.
        guard !listening.contains(0), configuration.doors.isEmpty else { return }
        let named = listening.sorted().map(String.init).joined(separator: ", ")
        for (place, value) in places {
            guard let port = place.port, !listening.contains(port) else { continue }
            value.notePlace(
                "no listener has port \(port), which the place `\(place)` names (`listen` has \(named))",
                hint:
                    "only a proxy that keeps `Host` brings requests here; without one, listen on that port, or write `at` without it"
            )
        }
    }
}
