import IssuerProfiles
import StrictJSON

/// Moves the times of a payload.
enum SampleTimes {
    /// The payload, issued so many seconds later; a time that is no integer, or would become too large for one, stays.
    static func shift(_ payload: JSONValue, by seconds: Int) -> JSONValue {
        guard seconds != 0 else { return payload }
        let bytes = JSONObjectWriter.object { writer, bytes in
            for name in ProviderToken.times {
                guard let time = payload[name]?.integer else { continue }
                let (sum, overflows) = time.addingReportingOverflow(Int64(seconds))
                if !overflows { writer.member(name, integer: sum, into: &bytes) }
            }
        }
        return JSONObjectPatch(set: SampleText.object(bytes)).applied(to: payload)
    }
}
