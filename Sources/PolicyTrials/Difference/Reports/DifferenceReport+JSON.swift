import ConfigurationFile
import StrictJSON

extension DifferenceReport {
    /// Report as one line of JSON, for programs. Absent values are null.
    ///
    /// - Parameter most: maximum number of differences that are listed; all are counted.
    public func json(most: Int) -> String {
        JSONObjectWriter.text { writer, bytes in
            writer.member("old", string: oldName, into: &bytes)
            writer.member("new", string: newName, into: &bytes)
            writer.member("widens_nothing", boolean: widensNothing, into: &bytes)
            for kind in Difference.Kind.allCases { writer.member(kind.rawValue, integer: count(kind), into: &bytes) }
            writer.objects("differences", differences.prefix(most), into: &bytes, write)
            writer.member("undecided", strings: undecided, into: &bytes)
            writer.member("not_compared", strings: notCompared, into: &bytes)
        } + "\n"
    }

    private func write(_ difference: Difference, _ writer: inout JSONObjectWriter, _ bytes: inout [UInt8]) {
        let witness = difference.witness
        writer.member("kind", string: difference.kind.rawValue, into: &bytes)
        writer.member("method", string: witness.method, into: &bytes)
        writer.member("url", string: witness.url, into: &bytes)
        writer.member("credentials", string: witness.credentialsName, into: &bytes)
        writer.member("token_fields", strings: witness.tokenFields, into: &bytes)
        // As a text, since a claims set may have members with the names of this object's members.
        writer.member("claims", optional: witness.claims, into: &bytes)
        writer.member("header", optional: witness.header, into: &bytes)
        write("old", difference.old, &writer, &bytes)
        write("new", difference.new, &writer, &bytes)
        writer.objects("changes", difference.changes, into: &bytes) { change, writer, bytes in
            writer.member("key", string: change.aspect.name, into: &bytes)
            writer.member("old", optional: change.old, into: &bytes)
            writer.member("new", optional: change.new, into: &bytes)
        }
    }

    private func write(
        _ name: String, _ answer: Difference.Answer, _ writer: inout JSONObjectWriter, _ bytes: inout [UInt8]
    ) {
        writer.beginObject(name, into: &bytes)
        writer.member("status", integer: answer.status, into: &bytes)
        writer.member("reason", optional: answer.reason, into: &bytes)
        writer.member("would", optional: answer.would, into: &bytes)
        writer.member("resource", optional: answer.resource, into: &bytes)
        writer.member("rule", optional: answer.rule, into: &bytes)
        if let line = answer.place?.position.line {
            writer.member("line", integer: line, into: &bytes)
        } else {
            writer.memberNull("line", into: &bytes)
        }
        writer.member("upstream", strings: answer.upstream, into: &bytes)
        writer.end(into: &bytes)
    }
}
