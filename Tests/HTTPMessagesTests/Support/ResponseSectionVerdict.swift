import Foundation
import HTTPMessages

/// Result of reading a field section as a response.
enum ResponseSectionVerdict: Hashable {
    case complete(Summary)
    case rejected(ResponseHeadRejection)
    case malformed

    /// Summary of a response head as the relaying code sees it, equal for both versions.
    struct Summary: Hashable {
        var status: Int
        var reason: [UInt8]
        var isInterim: Bool
        var framing: ResponseBodyFraming
        var isGRPC: Bool
        var isEventStream: Bool
        var keepsAlive: Bool
        var fields: [SectionSummary.Field]

        /// Summarizes a head without what differs in HTTP/2: the framing of the body, and connection handling.
        init(_ head: ResponseHead) {
            status = head.status
            reason = Array(head.slice(head.reason))
            isInterim = head.isInterim
            framing = head.framing
            isGRPC = head.isGRPC
            isEventStream = head.isEventStream
            // An interim head says nothing about the connection.
            keepsAlive = head.keepsAlive && !head.isInterim
            let dropsLength = head.framing != .none
            fields = head.fields.filter {
                $0.known != .connection && $0.known != .transferEncoding && ($0.known != .contentLength || !dropsLength)
            }.map {
                SectionSummary.Field(
                    name: Array(head.name(of: $0)), value: Array(head.value(of: $0)), nameHash: $0.nameHash,
                    known: $0.known,
                    lookAlike: $0.lookAlike)
            }.sorted()
        }
    }

    /// Reads a section with `ResponseHeadBuilder`.
    init(_ section: FieldSection, toHEAD: Bool, limits: HeadLimits = HeadLimits()) {
        var builder = ResponseHeadBuilder(limits: limits)
        do throws(ResponseHeadFault) {
            try builder.build(section, toHEAD: toHEAD)
            self = .complete(Summary(builder.head))
        } catch {
            switch error {
            case .malformed: self = .malformed
            case .rejected(let rejection): self = .rejected(rejection)
            }
        }
    }

    /// Reads a section through its HTTP/1.1 text.
    ///
    /// - Parameter isBare: true if lines that only HTTP/1.1 needs are omitted; then the framing differs.
    init(translating section: FieldSection, toHEAD: Bool, limits: HeadLimits = HeadLimits(), isBare: Bool = false) {
        var translation = ResponseTranslation(requestIsHEAD: toHEAD)
        var writer = HeadWriter()
        do throws(ResponseMalformation) {
            for field in section.fields {
                // Latin-1, because decoding as UTF-8 changes bytes above 0x7F.
                try translation.add(String(latin1: field.name), String(latin1: field.value))
            }
            try translation.write(into: &writer, endsStream: section.endsStream)
        } catch {
            self = .malformed
            return
        }
        var text = Array(
            String(decoding: writer.bytes, as: UTF8.self).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        if isBare {
            var lines = String(latin1: text).components(separatedBy: "\r\n")
            let length = section.values(of: "content-length").first.map { "content-length: \(String(latin1: $0))" }
            lines.removeAll { $0 == "transfer-encoding: chunked" || $0 == "connection: close" }
            if length == nil { lines.removeAll { $0 == "content-length: 0" } }
            text = lines.joined(separator: "\r\n").unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }
        var parser = ResponseHeadParser(limits: limits)
        do throws(ResponseHeadRejection) {
            guard try parser.parse(text.span, requestMethodIsHEAD: toHEAD) == .complete else {
                self = .rejected(.malformedStatusLine)
                return
            }
            self = .complete(Summary(parser.head))
        } catch {
            self = .rejected(error)
        }
    }

    var rejection: ResponseHeadRejection? {
        if case .rejected(let rejection) = self { return rejection }
        return nil
    }
}

extension ResponseHeadBuilder {
    /// Adds a whole section.
    mutating func build(_ section: FieldSection, toHEAD: Bool = false) throws(ResponseHeadFault) {
        do throws(ResponseMalformation) {
            for field in section.fields {
                try add(name: field.name.span, value: field.value.span, isNeverIndexed: field.isNeverIndexed)
            }
        } catch {
            throw .malformed(error)
        }
        try finish(endsStream: section.endsStream, requestMethodIsHEAD: toHEAD)
    }
}

extension String {
    /// Decodes bytes as Latin-1, one character each.
    init(latin1 bytes: [UInt8]) {
        self.init(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
