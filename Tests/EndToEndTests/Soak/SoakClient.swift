import Foundation
import TestSupport

/// Results that clients saw, compared with the expected ones.
struct SoakReport: Sendable {
    /// Number of requests with good tokens for a healthy upstream.
    var healthy = 0
    /// Healthy requests that did not get their answer, counted by what they got.
    var unhealthy: [String: Int] = [:]
    /// Number of requests with bad tokens that were refused.
    var refused = 0
    /// Number of requests with good tokens for an upstream that failed.
    var faulty = 0
    /// Number of connections that the client itself broke off.
    var brokenOff = 0
    /// The first few impossible results: an accepted bad token, another request's answer, a status unknown to the
    /// model.
    var wrong: [String] = []

    static func + (left: SoakReport, right: SoakReport) -> SoakReport {
        SoakReport(
            healthy: left.healthy + right.healthy,
            unhealthy: left.unhealthy.merging(right.unhealthy, uniquingKeysWith: +),
            refused: left.refused + right.refused, faulty: left.faulty + right.faulty,
            brokenOff: left.brokenOff + right.brokenOff,
            wrong: Array((left.wrong + right.wrong).prefix(20)))
    }
}

/// A client that sends requests without end: with good and bad tokens, to an upstream that is told to misbehave,
/// sometimes misbehaving itself.
struct SoakClient {
    let port: Int
    let tokens: SoakTokens
    let number: Int
    private var random: SeededGenerator
    private var report = SoakReport()
    private var asked = 0

    init(port: Int, tokens: SoakTokens, number: Int) {
        self.port = port
        self.tokens = tokens
        self.number = number
        random = SeededGenerator(seed: UInt64(number))
    }

    mutating func run(until stop: StopSign) -> SoakReport {
        while !stop.isRaised {
            guard let connection = try? RawConnection(port: port) else {
                report.unhealthy["refused connection", default: 0] += 1
                continue
            }
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                guard !stop.isRaised, ask(on: connection) else { break }
            }
        }
        return report
    }

    private struct Question {
        var behaviour: SoakBehaviour
        var mark: String
        var flaw: SoakTokens.Flaw?
        var bytes: [UInt8]
    }

    private mutating func question() -> Question {
        asked += 1
        let behaviour = random.once(in: 4) ? random.pick(SoakBehaviour.allCases) : .ok
        let flaw = random.once(in: 10) ? random.pick(SoakTokens.Flaw.allCases) : nil
        let batch = tokens.present
        let token = flaw.map { batch.bad[$0] } ?? random.pick(batch.good)
        let mark = "\(number)-\(asked)"
        let body = random.once(in: 5) ? "body" : nil
        var head =
            "\(body == nil ? "GET" : "POST") /api/\(behaviour.rawValue)/\(mark) HTTP/1.1\r\nHost: soak.example\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        if flaw != nil { head += "X-Token: bad\r\n" }
        if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
        return Question(
            behaviour: behaviour, mark: "<\(mark)>", flaw: flaw, bytes: Array((head + "\r\n" + (body ?? "")).utf8))
    }

    /// Sends one request and reads its answer. Returns true if the connection can take another request.
    private mutating func ask(on connection: RawConnection) -> Bool {
        let question = question()
        connection.forgetReceived()
        if random.once(in: 100) {
            connection.send(Array(question.bytes.prefix(Int.random(in: 1..<question.bytes.count, using: &random))))
            if random.once(in: 2) { connection.resetsWhenClosed() }
            report.brokenOff += 1
            return false
        }
        if random.once(in: 50) {
            let middle = Int.random(in: 1..<question.bytes.count, using: &random)
            connection.send(Array(question.bytes.prefix(middle)))
            usleep(2000)
            connection.send(Array(question.bytes.dropFirst(middle)))
        } else {
            connection.send(question.bytes)
        }
        let answer = WireAnswer(readFrom: connection)
        judge(answer, question)
        return answer.keepsAlive
    }

    private mutating func judge(_ answer: WireAnswer, _ question: Question) {
        if question.flaw != nil {
            guard let status = answer.status, [401, 403].contains(status) else { return wrong(answer, question) }
            return report.refused += 1
        }
        let isOwn = answer.body.isEmpty || answer.status != 200 || answer.body.hasPrefix(question.mark)
        guard isOwn, !answer.body.contains("<none>") else { return wrong(answer, question) }
        guard question.behaviour.isHealthy else {
            // An answer that broke off has no status, or a body that is too short.
            guard answer.status.map({ question.behaviour.statuses.contains($0) }) ?? true else {
                return wrong(answer, question)
            }
            return report.faulty += 1
        }
        report.healthy += 1
        if answer.status == 200, answer.isComplete, !answer.body.isEmpty { return }
        report.unhealthy["\(answer.status.map(String.init) ?? "no answer") \(question.behaviour)", default: 0] += 1
    }

    private mutating func wrong(_ answer: WireAnswer, _ question: Question) {
        guard report.wrong.count < 20 else { return }
        let got = "\(answer.status.map(String.init) ?? "no answer") \(answer.body.prefix(60))"
        report.wrong.append("\(question.mark) \(question.behaviour) \(question.flaw.map { "\($0)" } ?? "good"): \(got)")
    }
}

/// One response as it was received.
private struct WireAnswer {
    var status: Int?
    var body = ""
    var isComplete = false
    var keepsAlive = false

    /// Reads until the response is complete, the connection closes, or ten seconds are over.
    init(readFrom connection: RawConnection) {
        var head: (status: Int, length: Int?, start: Int)?
        connection.receiveBytes(atMost: .seconds(10)) { bytes in
            if head == nil { head = Self.head(of: bytes) }
            guard let head else { return false }
            if let length = head.length { return bytes.count >= head.start + length }
            return bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8)
        }
        guard let head else { return }
        status = head.status
        let content = connection.received.dropFirst(head.start)
        isComplete = head.length.map { content.count >= $0 } ?? content.suffix(5).elementsEqual("0\r\n\r\n".utf8)
        let text = String(decoding: content, as: UTF8.self)
        // The first chunk contains the mark.
        body = head.length == nil ? text.split(separator: "\r\n").dropFirst().first.map(String.init) ?? "" : text
        let fields = String(decoding: connection.received.prefix(head.start), as: UTF8.self).lowercased()
        keepsAlive = isComplete && !connection.hasEnded && !fields.contains("\r\nconnection: close")
    }

    private static func head(of bytes: [UInt8]) -> (status: Int, length: Int?, start: Int)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
        guard let status = Int(text.dropFirst(9).prefix(3)) else { return nil }
        let length = text.firstMatch(of: /\r\ncontent-length: (\d+)/).flatMap { Int($0.output.1) }
        return (status, length, end.upperBound)
    }
}
