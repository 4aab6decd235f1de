import RequestAuthorization
import StrictJSON
import TokenVerification

extension Explanation {
    /// Explanation as one line of JSON, for programs. Absent values are null.
    var json: String {
        JSONObjectWriter.text { writer, bytes in
            writer.member("status", integer: status, into: &bytes)
            writer.member("reason", optional: reason?.label, into: &bytes)
            if let would {
                writer.beginObject("would", into: &bytes)
                writer.member("status", integer: would.status, into: &bytes)
                writer.member("reason", string: would.label, into: &bytes)
                writer.end(into: &bytes)
            }
            writer.member("resource", optional: resource, into: &bytes)
            writer.member("rule", optional: rule, into: &bytes)
            writer.member("issuer", optional: issuer, into: &bytes)
            writer.member("hint", optional: hint, into: &bytes)
            if let grpcStatus { writer.member("grpc_status", integer: grpcStatus, into: &bytes) }
            writer.member("challenge", optional: rejection?.challenge?.fieldValue, into: &bytes)
            writer.member("forwarded_path", optional: forwardedPath, into: &bytes)
            writer.member("stripped_prefix", optional: strippedPrefix, into: &bytes)
            writer.member("identity_fields", strings: identityFields, into: &bytes)
            writer.objects("steps", steps, into: &bytes) { step, writer, bytes in
                writer.member("step", string: step.name, into: &bytes)
                writer.member("verdict", string: step.verdict.rawValue, into: &bytes)
                writer.member("detail", string: step.detail, into: &bytes)
            }
        } + "\n"
    }
}
