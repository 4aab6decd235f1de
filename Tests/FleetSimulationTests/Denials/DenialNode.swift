import AccessControl
import JOSE
import KeySets
import RequestAuthorization
import SharedState
import TestSupport
import TokenVerification

@testable import Denials

/// One gateway: its authorizer, its deny list, and the gateway's own `DenialPeers`.
///
/// The fleet does in virtual time what `DenialRegister` does with a task and a clock.
final class DenialNode {
    /// Requests with one token.
    struct Traffic {
        let arrivals: Arrivals
        let request: AuthorizationRequest
        var counted: Int64 = 0
        var fate = Fate.forwarded
        var tally = Tally()
    }

    let list: DenyList
    let authorizer: RequestAuthorizer
    var records = DenialRecords()
    let peers: DenialPeers
    /// Requests with the stolen token, and requests of all other clients.
    private(set) var stolen: Traffic
    private(set) var others: Traffic
    /// Time spans whose last request had another outcome than the first. There must be none.
    private(set) var unexplained = 0
    /// Time when the stolen token was first refused.
    private(set) var deniedAt: Int64?

    init(_ settings: StoreSettings, _ store: any RecordStore, stolen: Traffic, others: Traffic) throws {
        guard let key = TokenDigestKey(), let peers = DenialPeers(settings, store: store) else {
            throw DenialFleet.Failure.noSecret
        }
        let list = DenyList(DenyDigests(key))
        self.list = list
        self.peers = peers
        self.stolen = stolen
        self.others = others
        authorizer = try SampleGateway.authorizer(SampleGateway.storeWithKeys(), denials: list)
    }

    /// Puts a table in force.
    func replace(_ source: DenySource, by table: DenyTable, at now: Int64) {
        count(until: now)
        list.replace(source, by: table)
        stolen.fate = fate(of: stolen, at: now)
        others.fate = fate(of: others, at: now)
        deniedAt = stolen.fate == .refused ? deniedAt ?? now : nil
    }

    /// Puts the decisions made here or received in force.
    func putEntries(at now: Int64) {
        var builder = DenyTable.Builder(list.digests)
        for entry in records.entries(at: VirtualTime.date(now)) { _ = builder.add(entry) }
        replace(.api, by: builder.table(at: VirtualTime.date(now)), at: now)
    }

    // MARK: Requests

    /// Counts all requests so far: between two changes of a table all requests with one token have the same outcome.
    func count(until now: Int64) {
        count(\.stolen, until: now)
        count(\.others, until: now)
    }

    private func count(_ traffic: ReferenceWritableKeyPath<DenialNode, Traffic>, until now: Int64) {
        let all = self[keyPath: traffic].arrivals.count(before: now)
        let new = all - self[keyPath: traffic].counted
        guard new > 0, let last = self[keyPath: traffic].arrivals.time(of: all - 1) else { return }
        if fate(of: self[keyPath: traffic], at: last) != self[keyPath: traffic].fate { unexplained += 1 }
        self[keyPath: traffic].tally.note(self[keyPath: traffic].fate, new, last: last)
        self[keyPath: traffic].counted = all
    }

    private func fate(of traffic: Traffic, at time: Int64) -> Fate {
        var request = traffic.request
        return Fate(authorizer.authorize(&request, at: VirtualTime.date(time)))
    }
}
