import Dispatch
import JOSE
import Logging
import Logs

extension KeyTables {
    /// Interval at which tables go to the keys that are used most.
    private static let interval = DispatchTimeInterval.seconds(60)

    /// Makes an empty object that builds its tables on a thread of its own, away from the event loops, and logs what an
    /// operator should know.
    convenience init(limit: Int, logger: Logger) {
        let queue = DispatchQueue(label: "bearward.key-tables", qos: .utility)
        self.init(
            limit: limit, wake: { tables in queue.async { [weak tables] in tables?.build() } },
            report: { $0.log(to: logger) })
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
        timer.setEventHandler { [weak self] in
            guard let self else { return timer.cancel() }
            reconsider()
        }
        timer.activate()
    }
}
