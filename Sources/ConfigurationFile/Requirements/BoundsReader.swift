import ProxySettings
import RequestAuthorization

/// Reads `limits` and `timeouts` of resources and rules. None may be beyond that of the whole file.
struct BoundsReader {
    let limits: ProxyLimits
    let timeouts: ProxyTimeouts
    /// True if the file has doors.
    let hasDoors: Bool

    /// Reads the bounds of a resource or a rule. Values that are invalid are reported, and left out.
    ///
    /// - Parameter isForDoorsAlone: true if the resource has no upstream.
    func read(limits limitsValue: Value?, timeouts timeoutsValue: Value?, isForDoorsAlone: Bool) -> ForwardingBounds {
        for value in [limitsValue, timeoutsValue].compactMap(\.self) where hasDoors {
            value.warnOfNoEffectAtDoors(isForDoorsAlone: isForDoorsAlone)
        }
        var bounds = ForwardingBounds()
        limitsValue?.reportIfEmpty("nothing is limited", hint: "write `body`, or take `limits` out")
        timeoutsValue?.reportIfEmpty("no time is limited", hint: "write `first_byte`, or take `timeouts` out")
        if let section = limitsValue.flatMap({ Section($0, of: ResourceLimitKeys.self) }) {
            bounds.body = section.read(\.body).value
            judgeBody(bounds.body, section[\.body])
        }
        if let section = timeoutsValue.flatMap({ Section($0, of: ResourceTimeoutKeys.self) }) {
            bounds.firstByte = section.read(\.firstByte).value
            judgeFirstByte(bounds.firstByte, section[\.firstByte])
        }
        return bounds
    }

    private func judgeBody(_ body: Int?, _ value: Value?) {
        if value?.isWord("0") == true {
            value?.warn("no request may have a body then", hint: "write `0B` if that is meant")
        }
        guard let body, let most = limits.body, body > most else { return }
        Self.report(value, Quantity.text(ofBytes: body), "limits.body", Quantity.text(ofBytes: most))
    }

    private func judgeFirstByte(_ time: Duration?, _ value: Value?) {
        guard let time, time > timeouts.firstByte else { return }
        Self.report(
            value, Quantity.text(of: time), "timeouts.first_byte", Quantity.text(of: timeouts.firstByte))
    }

    private static func report(_ value: Value?, _ written: String, _ key: String, _ most: String) {
        value?.report(
            "\(written) is more than `\(key)` of the file, \(most)",
            hint: "write at most \(most), or raise `\(key)` at the top of the file")
    }
}

extension Value {
    /// Reports a mapping without members. It would be read as if its key were not there.
    func reportIfEmpty(_ message: String, hint: String) {
        guard isMapping, members()?.isEmpty == true else { return }
        reportPlace(message, hint: hint)
    }
}
