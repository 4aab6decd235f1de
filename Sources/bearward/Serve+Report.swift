import Logging
import Logs
import Supervision

extension Serve {
    /// Logs what the supervisor did.
    static func report(_ event: SupervisorEvent, to logger: Logger) {
        switch event {
        case .workerNotStarted(let cause): logger.error("A worker cannot be started", [.cause: .text(cause)])
        case .startRetried(let pause): logger.error("No worker serves; retrying", [.startsIn: milliseconds(pause)])
        case .upgradeFailed(let cause):
            let why: [LogMember: LogValue] = cause.map { [.cause: .text("the new worker " + $0)] } ?? [:]
            logger.error("Upgrade failed; the present worker continues to serve", why)
        case .tookOver(let successor, let worker):
            logger.notice("A worker took over", [.worker: .number(Int(worker)), .successor: .number(Int(successor))])
        case .outrun(let worker, let successor):
            logger.notice(
                "A worker that was still starting is stopped: another is ready",
                [.worker: .number(Int(worker)), .successor: .number(Int(successor))])
        case .endedBesideAnother(let worker, let how):
            logger.error(
                "The new worker exited while another is starting",
                [.worker: .number(Int(worker)), .cause: .text("it " + how)])
        case .silent(let worker, let limit):
            logger.error(
                "A worker does not stop accepting; its successor accepts anyway",
                [.worker: .number(Int(worker)), .cause: .text("no report for \(Int(limit / .seconds(1))) s")])
        case .overdue(let worker):
            logger.error("A worker did not end in time and was killed", [.worker: .number(Int(worker))])
        case .replaced(let worker, let how, let pause):
            logger.error(
                "A worker ended; starting another",
                [.worker: .number(Int(worker)), .cause: .text("it " + how), .startsIn: milliseconds(pause)])
        case .givenUp(let worker, let how):
            logger.error(
                "Giving up: no worker has ever served",
                [.worker: .number(Int(worker)), .cause: .text("the last one " + how)])
        }
    }

    private static func milliseconds(_ duration: Duration) -> LogValue { .number(Int(duration / .milliseconds(1))) }
}
