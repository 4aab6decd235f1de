import AuthorizationDoors

/// An answer to a proxy that asked at a door, as it is counted.
struct DoorAnswer: Hashable {
    let door: DoorKind
    let isPermission: Bool

    /// A gateway has a few doors, and their names would have to be read.
    func hash(into hasher: inout Hasher) { hasher.combine(isPermission) }

    var values: [String] { [door.rawValue, isPermission ? "permitted" : "refused"] }

    static func counter() -> LabelledCounter {
        LabelledCounter(
            name: "bearward_door_answers_total", labels: ["door", "verdict"],
            help: "Answers to proxies that asked at a door, by its kind, and by whether the request may be forwarded.")
    }
}
