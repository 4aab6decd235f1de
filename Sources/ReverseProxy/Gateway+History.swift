import NIOCore
import RequestHistory

/// Latest refusals and heaviest callers of all event loops. Copied on the loops, and merged here.
extension Gateway {
    /// Latest refused requests. Nil if none are kept, because the configuration does not ask for them or the gateway
    /// has not started.
    public func refusals() async -> RefusalReport? {
        let rings = await histories { $0.refusals }
        return rings.isEmpty ? nil : RefusalReport(rings)
    }

    /// Heaviest callers of the last minutes. Nil if they are not counted, as for ``refusals()``.
    public func callers() async -> CallerReport? {
        let windows = await histories { $0.callers }
        return windows.isEmpty ? nil : CallerReport(windows, at: EventLoopClock.now())
    }

    /// Requests of the last minutes by the keys that signed their tokens. Nil if they are not counted.
    public func signers() async -> CallerReport.Ranking? {
        let windows = await histories { $0.callers.keys }
        return windows.isEmpty ? nil : CallerReport.Ranking(windows, at: EventLoopClock.now())
    }

    /// Callers whom a rule permitted in the last hour. Nil if they are not counted.
    ///
    /// - Parameters:
    ///   - resource: identifier of the resource.
    ///   - rule: the rule as the file has it.
    public func passed(resource: String, rule: String) async -> PassedReport? {
        let windows = await histories { $0.callers.passed }
        let mark = RuleMark(resource: resource, rule: rule)
        return windows.isEmpty ? nil : PassedReport(windows, of: mark, at: EventLoopClock.now())
    }

    /// Copies a part of each loop's history. A loop that has none, or that stopped, is left out.
    private func histories<Part: Sendable>(_ part: @escaping @Sendable (LoopHistory) -> Part) async -> [Part] {
        var parts: [Part] = []
        for loop in loops {
            let copy = try? await loop.eventLoop.submit { loop.value.readHistory().map(part) }.get()
            if let copy = copy ?? nil { parts.append(copy) }
        }
        return parts
    }
}
