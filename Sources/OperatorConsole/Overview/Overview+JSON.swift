import StrictJSON
import TokenVerification

extension Overview {
    /// Answer of `/api/overview`: one JSON object.
    public var json: [UInt8] {
        JSONObjectWriter.object { json, bytes in
            json.member("time", string: time.description, into: &bytes)
            process.write(with: &json, into: &bytes)
            json.beginObject("configuration", into: &bytes)
            file.write(with: &json, into: &bytes)
            json.end(into: &bytes)
            if let shadow {
                json.beginObject("shadow", into: &bytes)
                shadow.write(with: &json, into: &bytes)
                json.end(into: &bytes)
            } else {
                json.memberNull("shadow", into: &bytes)
            }
            json.beginObject("traffic", into: &bytes)
            traffic.write(with: &json, into: &bytes)
            json.end(into: &bytes)
            json.objects("issuers", issuers, into: &bytes) { $0.write(with: &$1, into: &$2) }
            UpstreamStatus.write(upstreams, with: &json, into: &bytes)
            rules.write(with: &json, into: &bytes)
            json.objects("refusals", refusals, into: &bytes) { refusal, json, bytes in
                json.member("reason", string: refusal.reason, into: &bytes)
                if let status = refusal.status {
                    json.member("status", integer: status, into: &bytes)
                } else {
                    json.memberNull("status", into: &bytes)
                }
                json.member("count", integer: Int64(clamping: refusal.count), into: &bytes)
            }
            soon.write(with: &json, into: &bytes)
        }
    }
}
