import ConfigurationFile
import StrictJSON

extension PolicyReport {
    /// One JSON object for programs, its line ended; absent values are null.
    public var json: String {
        var bytes: [UInt8] = []
        var writer = JSONObjectWriter()
        writer.beginObject(into: &bytes)
        writer.member("configuration", string: configurationName, into: &bytes)
        writer.member("file", string: testsName, into: &bytes)
        writer.member("fine", boolean: isFine, into: &bytes)
        writer.member("failed", integer: failed.count, into: &bytes)
        writer.beginArray("tests", into: &bytes)
        for result in results { write(result, &writer, &bytes) }
        writer.end(into: &bytes)
        writer.beginObject("coverage", into: &bytes)
        writer.member("covered", integer: coverage.covered, into: &bytes)
        writer.member("total", integer: coverage.total, into: &bytes)
        write("missing", coverage.missing.map { ($0.text, $0.place) }, &writer, &bytes)
        writer.end(into: &bytes)
        if let mutations {
            writer.beginObject("mutants", into: &bytes)
            writer.member("noticed", integer: mutations.noticed, into: &bytes)
            writer.member("total", integer: mutations.count, into: &bytes)
            write("survivors", mutations.survivors.map { ($0.text, $0.place) }, &writer, &bytes)
            writer.end(into: &bytes)
        } else {
            writer.memberNull("mutants", into: &bytes)
        }
        writer.end(into: &bytes)
        return String(decoding: bytes, as: UTF8.self) + "\n"
    }

    private func write(_ result: TestResult, _ writer: inout JSONObjectWriter, _ bytes: inout [UInt8]) {
        writer.beginObject(into: &bytes)
        writer.member("name", string: result.name, into: &bytes)
        writer.member("request", string: result.request, into: &bytes)
        writer.member("line", integer: result.place.position.line, into: &bytes)
        writer.member("column", integer: result.place.position.column, into: &bytes)
        writer.member("fine", boolean: result.isFine, into: &bytes)
        writer.beginArray("mismatches", into: &bytes)
        for mismatch in result.mismatches {
            writer.beginObject(into: &bytes)
            writer.member("key", string: mismatch.key, into: &bytes)
            writer.member("expected", string: mismatch.expected, into: &bytes)
            writer.member("seen", string: mismatch.seen, into: &bytes)
            writer.end(into: &bytes)
        }
        writer.end(into: &bytes)
        for (name, text) in [("decision", result.decision), ("hint", result.hint)] {
            if let text {
                writer.member(name, string: text, into: &bytes)
            } else {
                writer.memberNull(name, into: &bytes)
            }
        }
        writer.end(into: &bytes)
    }

    private func write(
        _ name: String, _ told: [(text: String, place: FilePlace)], _ writer: inout JSONObjectWriter,
        _ bytes: inout [UInt8]
    ) {
        writer.beginArray(name, into: &bytes)
        for (text, place) in told {
            writer.beginObject(into: &bytes)
            writer.member("line", integer: place.position.line, into: &bytes)
            writer.member("column", integer: place.position.column, into: &bytes)
            writer.member("key", string: place.keyPath, into: &bytes)
            writer.member("message", string: text, into: &bytes)
            writer.end(into: &bytes)
        }
        writer.end(into: &bytes)
    }
}
