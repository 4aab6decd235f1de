import StrictJSON

/// Values of the gateway's answers, as a terminal shows them.
extension JSONValue {
    /// Longest text in bytes, which is more than a line shows.
    private static let longestText = 1024

    /// The beginning of a string, without characters that act on a terminal. Nil if the value is no string.
    var shown: String? { string.map { String($0.prefix(utf8Count: Self.longestText)).visible } }

    /// A number of events. 0 if the value is none.
    var total: UInt64 { integer.map { UInt64(clamping: $0) } ?? 0 }

    /// A time span of whole seconds. A dash if the value is none.
    var span: String { integer.map { ShownNumber.span(.seconds($0)) } ?? "–" }
}

extension JSONValue? {
    /// The text, or a dash.
    var shownOrDash: String { self?.shown ?? "–" }

    /// The count with commas between thousands.
    var count: String { ShownNumber.count(self?.total ?? 0) }

    /// The time span, or a dash.
    var span: String { self?.span ?? "–" }

    /// A duration that is written in milliseconds, or a dash.
    var milliseconds: String { ShownNumber.duration(self?.real.map { $0 / 1000 }) }
}
