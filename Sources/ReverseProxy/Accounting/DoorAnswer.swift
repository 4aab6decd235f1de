import AuthorizationDoors

/// Label values of an answer to a proxy at a forward auth listener (door).
struct DoorAnswer: Hashable {
    let door: DoorKind
    let isPermission: Bool

    /// Hashes only the verdict. A gateway has few doors, and hashing the door's name would cost more.
    func hash(into hasher: inout Hasher) { hasher.combine(isPermission) }

    var values: [String] { [door.rawValue, isPermission ? "permitted" : "refused"] }

    static func counter() -> LabelledCounter {
        LabelledCounter(
            name: "bearward_door_answers_total", labels: ["door", "verdict"],
            help: "Answers to proxies that asked at a door, by its kind, and by whether the request may be forwarded.")
    }
}
