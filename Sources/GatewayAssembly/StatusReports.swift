import Administration
import ConfigurationFile
import OperatorConsole
import ReverseProxy

// Conversions of the gateway's own data for the admin listener and the access log.

extension AccessLog.Destination {
    init(_ destination: AccessLogDestination) {
        self =
            switch destination {
            case .stdout: .standardOutput
            case .file(let path): .file(path: path)
            case .none: .none
            }
    }
}

extension UpstreamStatus {
    init(_ upstream: UpstreamReport) {
        self.init(
            resource: upstream.resource, path: upstream.path,
            targets: upstream.targets.map { target in
                Target(
                    name: target.name, isIn: target.isIn, since: target.since, cause: target.cause,
                    inFlight: target.inFlight,
                    latency: target.latency)
            }, waiting: upstream.waiting)
    }
}

extension RefusalList {
    init(_ report: RefusalReport) {
        self.init(lines: report.lines, noted: report.noted, leftOut: report.leftOut)
    }
}

extension CallerList {
    init(_ report: CallerReport) {
        self.init(
            clients: Ranking(report.clients), subjects: Ranking(report.subjects), addresses: Ranking(report.addresses),
            length: report.length)
    }
}

extension PassedList {
    init(_ report: PassedReport) {
        self.init(
            callers: report.callers.map { Caller(isClient: $0.isClient, CallerList.Caller($0.caller)) },
            unlisted: report.unlisted, length: report.length)
    }
}

extension CallerList.Caller {
    fileprivate init(_ caller: CallerReport.Caller) {
        self.init(
            issuer: caller.issuer, name: caller.name, isCut: caller.isCut, count: caller.count, error: caller.error)
    }
}

extension CallerList.Ranking {
    fileprivate init(_ ranking: CallerReport.Ranking) {
        self.init(
            callers: ranking.callers.map { CallerList.Caller($0) },
            total: ranking.total, unlisted: ranking.unlisted)
    }
}
