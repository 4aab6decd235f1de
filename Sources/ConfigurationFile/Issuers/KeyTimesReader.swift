import KeySets

/// Times of the file for an issuer's keys: how often they are fetched again, and how long stale keys are used.
struct KeyTimes: Hashable {
    var least: Duration?
    var most: Duration?
    var stale: Duration?

    /// Sets the times in a key set's configuration. Times that the file does not set keep their values, within the
    /// bounds of those that it sets.
    func apply(to keySet: inout KeySetConfiguration) {
        keySet.staleLimit = stale ?? keySet.staleLimit
        keySet.refreshInterval = least ?? min(keySet.refreshInterval, most ?? keySet.staleLimit, keySet.staleLimit)
        keySet.freshnessLimit = most ?? min(max(keySet.freshnessLimit, keySet.refreshInterval), keySet.staleLimit)
    }
}

/// Reads `refresh` and `stale_for`.
struct KeyTimesReader {
    let section: Section<IssuerKeys>

    func read() -> KeyTimes {
        var times = KeyTimes(stale: section.read(\.staleFor).value)
        guard let value = section[\.refresh], let refresh = Section(value, of: RefreshKeys.self) else { return times }
        if value.members()?.isEmpty == true {
            value.report("is empty", hint: "write {min: 10m, max: 1h}, or leave it out")
        }
        for file in [section[\.jwksFile], section[\.pemKeys]] {
            guard let file, !file.isUnusable, let name = file.path.key else { continue }
            let isList = name == "keys"
            let again =
                isList ? "files of `keys` are read again when they change" : "`\(name)` is read again when it changes"
            value.warnPlace("has no effect: \(again)", hint: "leave it out")
        }
        times.least = refresh.read(\.min).value
        times.most = refresh.read(\.max).value
        judge(times, refresh)
        return times
    }

    /// Reports times that contradict each other.
    private func judge(_ times: KeyTimes, _ refresh: Section<RefreshKeys>) {
        if let least = times.least, let most = times.most, least > most {
            refresh[\.min]?.report(
                "is longer than `max`, which is \(Quantity.text(of: most))",
                hint: "write a shorter one, or a longer `max`")
            return
        }
        let stale = times.stale ?? KeySetConfiguration.usualStaleLimit
        for (value, time) in [(refresh[\.max], times.most), (refresh[\.min], times.least)] {
            guard let time, time > stale else { continue }
            value?.report(
                "is longer than `stale_for`, which is \(Quantity.text(of: stale)): keys would be too old before they are fetched again",
                hint: "write a shorter one, or `stale_for: \(Quantity.text(of: time))` or more")
            return
        }
    }
}
