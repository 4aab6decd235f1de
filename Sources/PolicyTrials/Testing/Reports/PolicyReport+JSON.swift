import ConfigurationFile
import StrictJSON

extension PolicyReport {
    /// Report as one line of JSON, for programs. Absent values are null.
    public var json: String {
        JSONObjectWriter.text { writer, bytes in
            writer.member("configuration", string: configurationName, into: &bytes)
            writer.member("file", string: testsName, into: &bytes)
            writer.member("fine", boolean: isFine, into: &bytes)
            writer.member("failed", integer: failed.count, into: &bytes)
            writer.objects("tests", results, into: &bytes, write)
            writer.beginObject("coverage", into: &bytes)
            writer.member("covered", integer: coverage.covered, into: &bytes)
            writer.member("total", integer: coverage.total, into: &bytes)
            writer.objects("missing", coverage.missing.map { ($0.text, $0.place) }, into: &bytes, write)
            writer.end(into: &bytes)
            if let mutations {
                writer.beginObject("mutants", into: &bytes)
                writer.member("noticed", integer: mutations.noticed, into: &bytes)
                writer.member("total", integer: mutations.count, into: &bytes)
                writer.objects("survivors", mutations.survivors.map { ($0.text, $0.place) }, into: &bytes, write)
                writer.end(into: &bytes)
            } else {
                writer.memberNull("mutants", into: &bytes)
            }
        } + "\n"
    }

    private func write(_ result: TestResult, _ writer: inout JSONObjectWriter, _ bytes: inout [UInt8]) {
        writer.member("name", string: result.name, into: &bytes)
        writer.member("request", string: result.request, into: &bytes)
        writer.member("line", integer: result.place.position.line, into: &bytes)
        writer.member("column", integer: result.place.position.column, into: &bytes)
        writer.member("fine", boolean: result.isFine, into: &bytes)
        writer.objects("mismatches", result.mismatches, into: &bytes) { mismatch, writer, bytes in
            writer.member("key", string: mismatch.key, into: &bytes)
            writer.member("expected", string: mismatch.expected, into: &bytes)
            writer.member("seen", string: mismatch.seen, into: &bytes)
        }
        writer.member("rule", optional: result.rule?.name, into: &bytes)
        writer.member("decision", optional: result.decision, into: &bytes)
        writer.member("hint", optional: result.hint, into: &bytes)
    }

    private func write(
        _ told: (text: String, place: FilePlace), _ writer: inout JSONObjectWriter, _ bytes: inout [UInt8]
    ) {
        writer.member("line", integer: told.place.position.line, into: &bytes)
        writer.member("column", integer: told.place.position.column, into: &bytes)
        writer.member("key", string: told.place.keyPath, into: &bytes)
        writer.member("message", string: told.text, into: &bytes)
    }
}
