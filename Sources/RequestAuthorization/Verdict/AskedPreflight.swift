import AccessControl
import HTTPMessages
import StrictJSON

/// The origin, method and fields that a preflight asks about. Anyone can write them, so little of each is shown.
struct AskedPreflight {
    private let origins: [String]
    private let methods: [String]
    private let fieldValues: [String]
    /// Names of the fields, in lower case. Nil if they are too many, or one is no field name.
    private let fields: [String]?

    /// Most bytes of each of the three that are shown.
    private static let longest = 128

    init(_ head: borrowing RequestHead) {
        origins = head.fields(named: .origin).map { head.string($0.value) }
        methods = head.fields(named: .accessControlRequestMethod).map { head.string($0.value) }
        fieldValues = head.requestedFieldValues
        fields = try? head.requestedFields()
    }

    var text: String {
        [("origin", origins), ("method", methods), ("headers", fieldValues)].filter { !$1.isEmpty }
            .map { "\($0) \(Self.shown($1.joined(separator: ", ")))" }.joined(separator: ", ")
    }

    private static func shown(_ text: String) -> String {
        let json = String(decoding: text.serializedAsJSON, as: UTF8.self)
        return json.utf8.count > longest ? json.prefix(utf8Count: longest) + "…" : json
    }

    func grantsMethod(_ answer: PreflightAnswer) -> Bool {
        methods.count == 1 && methods.allSatisfy(answer.permittedMethods.contains)
    }

    /// True if a browser sends the request although the method is not granted (Fetch §2.2.1).
    var needsNoMethod: Bool { methods.count == 1 && methods.allSatisfy(["GET", "HEAD", "POST"].contains) }

    func grantsFields(_ answer: PreflightAnswer) -> Bool {
        fields?.allSatisfy { answer.permits(field: $0) } ?? false
    }
}
