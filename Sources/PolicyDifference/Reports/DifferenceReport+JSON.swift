import ConfigurationFile
import StrictJSON

extension DifferenceReport {
    /// One JSON object for programs, its line ended; absent values are null.
    ///
    /// - Parameter most: so many differences are told, and all counted.
    public func json(most: Int) -> String {
        var bytes: [UInt8] = []
        var writer = JSONObjectWriter()
        writer.beginObject(into: &bytes)
        writer.member("old", string: oldName, into: &bytes)
        writer.member("new", string: newName, into: &bytes)
        writer.member("widens_nothing", boolean: widensNothing, into: &bytes)
        for kind in Difference.Kind.allCases { writer.member(kind.rawValue, integer: count(kind), into: &bytes) }
        writer.beginArray("differences", into: &bytes)
        for difference in differences.prefix(most) { write(difference, &writer, &bytes) }
        writer.end(into: &bytes)
        writer.member("undecided", strings: undecided, into: &bytes)
        writer.member("not_compared", strings: notCompared, into: &bytes)
        writer.end(into: &bytes)
        return String(decoding: bytes, as: UTF8.self) + "\n"
    }

    private func write(_ difference: Difference, _ writer: inout JSONObjectWriter, _ bytes: inout [UInt8]) {
        let witness = difference.witness
        writer.beginObject(into: &bytes)
        writer.member("kind", string: difference.kind.rawValue, into: &bytes)
        writer.member("method", string: witness.method, into: &bytes)
        writer.member("url", string: witness.url, into: &bytes)
        writer.member("credentials", string: witness.credentialsName, into: &bytes)
        writer.member("token_fields", strings: witness.tokenFields, into: &bytes)
        // As text, since a claims set may have members that this object has.
        Self.write("claims", witness.claims, &writer, &bytes)
        Self.write("header", witness.header, &writer, &bytes)
        write("old", difference.old, &writer, &bytes)
        write("new", difference.new, &writer, &bytes)
        writer.beginArray("changes", into: &bytes)
        for change in difference.changes {
            writer.beginObject(into: &bytes)
            writer.member("key", string: change.aspect.name, into: &bytes)
            Self.write("old", change.old, &writer, &bytes)
            Self.write("new", change.new, &writer, &bytes)
            writer.end(into: &bytes)
        }
        writer.end(into: &bytes)
        writer.end(into: &bytes)
    }

    private func write(
        _ name: String, _ answer: Difference.Answer, _ writer: inout JSONObjectWriter, _ bytes: inout [UInt8]
    ) {
        writer.beginObject(name, into: &bytes)
        writer.member("status", integer: answer.status, into: &bytes)
        Self.write("reason", answer.reason, &writer, &bytes)
        Self.write("would", answer.would, &writer, &bytes)
        Self.write("resource", answer.resource, &writer, &bytes)
        Self.write("rule", answer.rule, &writer, &bytes)
        if let line = answer.place?.position.line {
            writer.member("line", integer: line, into: &bytes)
        } else {
            writer.memberNull("line", into: &bytes)
        }
        writer.member("upstream", strings: answer.upstream, into: &bytes)
        writer.end(into: &bytes)
    }

    private static func write(_ name: String, _ text: String?, _ writer: inout JSONObjectWriter, _ bytes: inout [UInt8])
    {
        if let text { writer.member(name, string: text, into: &bytes) } else { writer.memberNull(name, into: &bytes) }
    }
}
