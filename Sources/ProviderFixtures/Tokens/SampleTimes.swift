import IssuerProfiles
import StrictJSON

/// Shifts the times in a payload, or in a header that repeats one.
enum SampleTimes {
    /// Shifts all times of a payload by seconds. A time stays as it is if it is not an integer or would overflow.
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
