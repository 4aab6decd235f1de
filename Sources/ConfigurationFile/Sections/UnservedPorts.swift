import AccessControl

/// Notes places (host and path) with a port that no listener has.
///
/// This may be intended: a proxy before the gateway may use that port and keep the client's `Host`. Without a proxy
/// every request is answered 404.
enum UnservedPorts {
    static func note(_ places: [PlacePattern: Value], _ configuration: Configuration) {
        let listening = Set(configuration.listen.map(\.address.port))
        // Port 0 lets the system choose the port. With doors the port is the proxy's.
        guard !listening.contains(0), configuration.doors.isEmpty else { return }
        let named = listening.sorted().map(String.init).joined(separator: ", ")
        for (place, value) in places {
            guard let port = place.port, !listening.contains(port) else { continue }
            value.notePlace(
                "no listener has port \(port), which the place `\(place)` names (`listen` has \(named))",
                hint:
                    "requests arrive only through a proxy that keeps `Host`; without one, listen on that port, or leave the port out of `at`"
            )
        }
    }
}
