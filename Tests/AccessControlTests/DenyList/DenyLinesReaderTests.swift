import AccessControl
import Foundation
import JOSE
import TestSupport
import Testing
import TokenVerification

/// Reading of a deny list: each line on its own, and every problem with its line.
@Suite struct DenyLinesReaderTests {
    private static let now = NumericDate(seconds: 1_790_000_000)

    private static var issuers: DenyIssuers {
        var logto = TrustedIssuer(
            name: "logto", identifier: "https://logto.example", algorithms: [.rs256], tokenType: .any)
        logto.maxLifetime = .seconds(3600)
        let partner = TrustedIssuer(
            name: "partner", identifier: "https://partner.example", algorithms: [.rs256], tokenType: .any)
        return DenyIssuers([logto, partner])
    }

    private static func reader() throws -> DenyLinesReader {
        DenyLinesReader(try #require(DenyDigests.process), issuers: issuers, at: now)
    }

    // MARK: One line

    private static let cases: [(line: String, outcome: String)] = {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let file = directory.appendingPathComponent("Vectors/deny-lists/lines.cases")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").dropFirst(2).compactMap { line in
            guard let arrow = line.range(of: " => ") else { return nil }
            return (String(line[..<arrow.lowerBound]), String(line[arrow.upperBound...]))
        }
    }()

    @Test func `the vectors of deny lines are present`() {
        #expect(Self.cases.count == 47)
    }

    @Test(arguments: cases)
    func `a line is an entry, or is refused with its problem`(_ line: String, _ outcome: String) throws {
        let bytes = Array(line.utf8)
        do throws(DenyProblem) {
            let entry = try DenyEntry(parsing: bytes.span, issuers: Self.issuers, at: Self.now)
            let saved = Self.saved(entry)
            #expect(String(decoding: saved, as: UTF8.self) == outcome.dropLast() + ",\"decided_at\":0}\n")
            #expect(try DenialRecord(restoring: saved.span).entry == entry)
        } catch {
            #expect(error.description == outcome)
        }
    }

    private static func saved(_ entry: DenyEntry) -> [UInt8] {
        var line: [UInt8] = []
        DenialRecord(entry, decidedAt: 0).append(to: &line)
        return line
    }

    // MARK: Files

    private static let file = """
        {"issuer":"logto","sub":"u1"}

        {"issuer":"logto","jti":"t1"}\r
        nonsense
        {"issuer":"logto","sub":"u2"}
        {"issuer":"nobody","sub":"u2"}
        """

    private static func problems(_ reader: DenyLinesReader) -> [String] {
        reader.problems.map { "\($0.line): \($0.problem.message)" }
    }

    @Test func `every problem is reported with its line, and a list with a problem is not used`() throws {
        var reader = try Self.reader()
        reader.take(Array(Self.file.utf8).span)
        #expect(reader.finish() == nil)
        #expect(Self.problems(reader) == ["4: not a JSON object", "6: there is no issuer `nobody`"])
    }

    @Test func `a file is read the same however it is split into chunks`() throws {
        let bytes = Array(Self.file.utf8)
        for split in 0...bytes.count {
            var reader = try Self.reader()
            reader.take(Array(bytes[..<split]).span)
            reader.take(Array(bytes[split...]).span)
            #expect(reader.finish() == nil)
            #expect(Self.problems(reader) == ["4: not a JSON object", "6: there is no issuer `nobody`"], "\(split)")
        }
        var reader = try Self.reader()
        for byte in bytes.prefix(61) { reader.take([byte].span) }
        #expect(reader.finish()?.count(at: Self.now) == 2)
    }

    @Test func `an empty deny file denies nothing, and is valid`() throws {
        var reader = try Self.reader()
        #expect(reader.finish()?.isEmpty == true)
        var blank = try Self.reader()
        blank.take(Array("\n \n\t\r\n".utf8).span)
        #expect(blank.finish()?.isEmpty == true)
    }

    @Test func `a line of the maximum length is read, and a line one byte longer is refused`() throws {
        let start = #"{"issuer":"logto","sub":"u1"}"#
        for (length, count) in [(DenyEntry.longestText, 0), (DenyEntry.longestText + 1, 1), (200_000, 1)] {
            var reader = try Self.reader()
            let line = start + String(repeating: " ", count: length - start.utf8.count) + "\n"
            reader.take(Array((line + start + "\n").utf8).span)
            _ = reader.finish()
            #expect(
                Self.problems(reader) == [String](repeating: "1: longer than 16384 bytes", count: count), "\(length)")
        }
    }

    @Test func `a value of the maximum length is accepted, and a value one byte longer is refused`() throws {
        for (length, message) in [
            (DenyEntry.longestValue, nil), (DenyEntry.longestValue + 1, "`sub` is longer than 8192 bytes"),
        ] {
            var reader = try Self.reader()
            reader.take(Array(#"{"issuer":"logto","sub":"\#(String(repeating: "x", count: length))"}"#.utf8).span)
            #expect((reader.finish() != nil) == (message == nil))
            #expect(reader.problems.first?.problem.message == message)
        }
    }

    @Test func `an accepted entry is read back, even if its written form is longer than the line it came from`() throws
    {
        let line = #"{"issuer":"logto","sub":"\#(String(repeating: #"\u0001"#, count: 2725))"}"#
        let bytes = Array(line.utf8)
        let entry = try DenyEntry(parsing: bytes.span, issuers: Self.issuers, at: Self.now)
        let saved = Self.saved(entry)
        #expect(saved.count > DenyEntry.longestText)
        #expect(try DenialRecord(restoring: saved.span).entry == entry)
    }

    @Test func `only the first problems of a file are reported, and all are counted`() throws {
        var reader = try Self.reader()
        reader.take(Array(String(repeating: "x\n", count: 250).utf8).span)
        #expect(reader.finish() == nil)
        #expect(reader.problems.count == DenyLinesReader.mostProblems)
        #expect(reader.problemCount == 250)
    }
}
