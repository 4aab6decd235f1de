import StrictJSON

/// Panels of issuers, upstreams and coming events.
extension TopScreen {
    var issuers: TopTable {
        TopTable(
            "ISSUERS",
            [
                .init(heading: "state"), .number("keys"), .number("age"), .number("next fetch"),
                .init(heading: "last error"),
            ],
            overview["issuers"]?.elements.flatMap(rows(of:)) ?? [])
    }

    /// A row for each key set, and one for an issuer without.
    private func rows(of issuer: JSONValue) -> [TopTable.Row] {
        let name = issuer["name"].shownOrDash
        let isReady = issuer["ready"]?.boolean == true
        let state = isReady ? "● ready" : "○ NOT READY"
        guard let sets = issuer["key_sets"], sets.count > 0 else {
            let words = issuer["realms"].map { "\(Optional($0).count) realms" } ?? ""
            return [.init(cells: [name, state, "–", "–", "–", words], style: isReady ? .plain : .alarm)]
        }
        return sets.elements.map { set in
            let isUsable = set["usable"]?.boolean == true
            let cells = [
                name, isUsable ? state : "○ NO KEYS", set["keys"].count, set["age_seconds"].span,
                words(until: set["next_fetch"]), set["last_error"]?.shown ?? "",
            ]
            return .init(cells: cells, style: isUsable && isReady ? .plain : .alarm)
        }
    }

    /// Time from now until a written time, in words. The text itself if it is written in another way.
    private func words(until time: JSONValue?) -> String {
        guard let now, let time = time?.string.flatMap({ WrittenTime($0) }) else { return time.shownOrDash }
        return time.words(since: now)
    }

    var upstreams: TopTable {
        TopTable(
            "UPSTREAMS",
            [
                .init(heading: "state"), .number("since"), .number("in flight"), .number("latency"),
                .init(heading: "resource"), .init(heading: "cause"),
            ],
            overview["upstreams"]?.elements.flatMap { upstream in
                upstream["targets"]?.elements.map { row(of: $0, upstream) } ?? []
            } ?? [])
    }

    private func row(of target: JSONValue, _ upstream: JSONValue) -> TopTable.Row {
        let isIn = target["state"]?.isString(equalTo: "in" as String) == true
        let cells = [
            target["target"].shownOrDash, isIn ? "● in" : "○ OUT", target["since_seconds"].span,
            target["in_flight"].count, ShownNumber.duration(target["latency_us"]?.real.map { $0 / 1_000_000 }),
            "\(upstream["resource"].shownOrDash) \(upstream["path"].shownOrDash)", target["cause"]?.shown ?? "",
        ]
        return .init(cells: cells, style: isIn ? .plain : .alarm)
    }

    var soon: TopTable {
        TopTable(
            "SOON", [.init(heading: "name"), .init(heading: "when")],
            overview["soon"]?.elements.map { event in
                let kind = event["event"].shownOrDash.replacing("_", with: " ")
                let name = event["count"].map { "\(Optional($0).count) entries" } ?? event["name"].shownOrDash
                return .init(cells: [kind, name, words(until: event["at"])])
            } ?? [])
    }
}
