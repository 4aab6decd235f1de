import Foundation
import HTTPMessages

/// An HTTP/2 request judged through its HTTP/1.1 text: the oracle for the builder.
struct TranslatedRequest {
    /// The head in HTTP/1.1. Nil if the section is malformed.
    let text: [UInt8]?
    private let endsStream: Bool

    init(_ section: FieldSection) {
        var translation = RequestTranslation()
        var writer = HeadWriter()
        endsStream = section.endsStream
        do throws(RequestMalformation) {
            for field in section.fields {
                try translation.add(String(decoding: field.name, as: UTF8.self), field.value)
            }
            let key = translation.asksForWebSocket ? SectionVerdict.webSocketKey : ""
            try translation.write(into: &writer, endsStream: section.endsStream, webSocketKey: key)
            text = Array(writer.bytes)
        } catch {
            text = nil
        }
    }

    func verdict(limits: HeadLimits = HeadLimits()) -> SectionVerdict {
        guard let text else { return .malformed }
        return Self.parse(text, limits)
    }

    /// The rejection due to what the client itself sent, without lines that only HTTP/1.1 needs.
    func ownRejection(limits: HeadLimits) -> RequestHeadRejection? {
        guard let text else { return nil }
        var own = text
        for line in ["transfer-encoding: chunked\r\n", "connection: upgrade, close\r\n"] {
            own.replace(line.utf8, with: [])
        }
        return Self.parse(own, limits).rejection
    }

    private static func parse(_ text: [UInt8], _ limits: HeadLimits) -> SectionVerdict {
        var parser = RequestHeadParser(limits: limits)
        do throws(RequestHeadRejection) {
            guard try parser.parse(text.span) == .complete else { return .rejected(.malformedRequestLine) }
            return .complete(SectionSummary(parser.head))
        } catch {
            return .rejected(error)
        }
    }
}
