import AccessControl
import ConfigurationFile
import Denials
import TokenVerification

extension DenyList {
    /// Makes the list that a gateway with this file would check tokens against: the entries of `deny_file`, and those
    /// that its state directory has. Nil if nothing can be denied.
    convenience init?(of configuration: Configuration, at now: NumericDate) {
        guard let digests = DenyDigests.process else { return nil }
        var (added, reason) = (DenyTable.empty, nil as String?)
        switch configuration.stateDirectory.map(KnownDenials.init(in:)) {
        case .known(let records):
            var table = DenyTable.Builder(digests)
            for entry in records.entries(at: now) where !table.add(entry) {
                reason = "the cryptographic library failed"
            }
            added = table.table(at: now)
        case .neverSaved where configuration.takesDenials && configuration.sharedState != nil:
            reason = "the gateways share it in `shared_state`"
        case .unknown(let cause) where configuration.takesDenials: reason = cause
        case .neverSaved, .unknown, nil: break
        }
        let file = configuration.denyReading?.table
        guard file != nil || reason != nil || !added.isEmpty || configuration.hasDenyList else { return nil }
        self.init(digests, unknownAdditions: reason)
        replace(.file, by: file ?? .empty)
        replace(.api, by: added)
    }
}
