import RequestAuthorization
import Testing
import TokenVerification

/// `docs/reasons.md`: every reason with its status, cause and remedy.
@Suite struct ReasonsPageTests {
    private struct Section {
        let title: String
        let introduction: String
        let reasons: [RejectionReason]
    }

    private static let sections: [Section] = {
        func those(_ isMeant: (RejectionReason) -> Bool) -> [RejectionReason] {
            RejectionReason.allCases.filter(isMeant)
        }
        return [
            Section(
                title: "Credentials", introduction: "What is wrong before a token is looked at.",
                reasons: those { if case .credentials = $0 { true } else { false } }),
            Section(
                title: "Tokens", introduction: "The token is not one that this API accepts.",
                reasons: those { if case .token = $0 { true } else { false } }),
            Section(
                title: "Policy", introduction: "The token is good, and the rule asks for more.",
                reasons: those { if case .policy = $0 { true } else { false } }),
            Section(
                title: "Routing", introduction: "Nothing in the configuration is about this request.",
                reasons: those { if case .routing = $0 { true } else { false } }),
            Section(
                title: "Gateway", introduction: "Bearward cannot decide, or has too much to do.",
                reasons: those { if case .gateway = $0 { true } else { false } }),
            Section(
                title: "Upstreams", introduction: "The request was permitted, and the upstream did not answer it.",
                reasons: those { if case .upstream = $0 { true } else { false } }),
            Section(
                title: "Messages",
                introduction: "The request is not well-formed, too large or too slow. The connection is closed.",
                reasons: those { if case .message = $0 { true } else { false } }),
            Section(
                title: "Doors", introduction: "Another proxy asked about a request at a door ([doors](doors.md)).",
                reasons: those { if case .door = $0 { true } else { false } }),
            Section(
                title: "Preflights",
                introduction: "A browser asked what a page of another origin may send. The answer has no content.",
                reasons: those { if case .preflight = $0 { true } else { false } }),
        ]
    }()

    /// Anchors of headings as GitHub makes them; a repeated heading gets a number.
    private static func anchors() -> [String] {
        var seen: [String: Int] = [:]
        return sections.flatMap(\.reasons).map { reason in
            defer { seen[reason.label, default: 0] += 1 }
            return seen[reason.label].map { "\(reason.label)-\($0)" } ?? reason.label
        }
    }

    private static var page: String {
        var lines = [
            MadePage.notice, "", "# Reasons", "",
            "When Bearward answers a request itself, it says why in one word. The word is in the access log as `reason`, in the label `reason` of",
            "`bearward_decisions_total`, and in `bearward explain`. No client is told the reason: an answer says only what its client can act on.",
            "",
            "The access log often says more beside it: `detail` has what was seen and what is accepted, `hint` names a usual mistake.",
            "`bearward explain` shows the same request step by step.", "",
            "Calls of gRPC are answered with HTTP status 200 and the status of gRPC.", "",
            "| Reason | Status | gRPC | Error in the challenge |", "|---|---|---|---|",
        ]
        let anchors = anchors()
        for (reason, anchor) in zip(sections.flatMap(\.reasons), anchors) {
            let error = reason.bearerError.map { "`\($0.rawValue)`" } ?? "–"
            lines.append("| [`\(reason.label)`](#\(anchor)) | \(reason.status) | \(reason.grpcStatus) | \(error) |")
        }
        for section in sections {
            lines += ["", "## \(section.title)", "", section.introduction]
            for reason in section.reasons {
                lines += [
                    "", "### \(reason.label)", "", "\(reason.status). \(reason.text.cause)", "",
                    "*What to do:* \(reason.text.remedy)",
                ]
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test func `docs/reasons.md is generated from the rejection reasons`() throws {
        try MadePage(path: "docs/reasons.md", text: Self.page).check()
    }

    @Test func `every rejection reason is on the page`() {
        let told = Self.sections.flatMap(\.reasons)
        #expect(told.count == RejectionReason.allCases.count)
        #expect(Set(told) == Set(RejectionReason.allCases))
        #expect(Set(Self.anchors()).count == told.count)
    }

    /// Which of them a resource reads is not known here.
    @Test(arguments: CredentialsFault.allCases)
    func `a remedy that names Authorization names the headers of the file too`(_ fault: CredentialsFault) {
        let remedy = RejectionReason.credentials(fault).text.remedy
        #expect(remedy.contains("`token_header`"), "\(remedy)")
    }

    @Test(arguments: RejectionReason.allCases) func `cause and remedy of every reason are short sentences`(
        _ reason: RejectionReason
    ) {
        for text in [reason.text.cause, reason.text.remedy] {
            #expect(text.hasSuffix("."))
            let sentences = text.split(separator: ". ").flatMap { $0.split(separator: ": ") }
            for sentence in sentences { #expect(sentence.split(separator: " ").count <= 35, "\(sentence)") }
        }
    }
}
