import DevelopmentIssuer

extension RunningDemo {
    /// Text with the gateway's configuration file, tokens as shell variables, and requests to paste into a terminal.
    func guide() throws(CommandFailure) -> String {
        var lines = ["# The gateway listens at \(url) with this file:", "", file.text]
        lines += ["# Paste these tokens into another terminal; they last twelve hours:", ""]
        for token in DemoToken.allCases { lines.append("\(token.rawValue)=\(try issuer.mint(token))") }
        lines += ["", "# Then ask, and compare the status:"]
        for request in DemoRequest.all {
            lines += ["", "# \(request.status)  \(request.method) \(request.path) \(request.caller)", curl(request)]
        }
        lines += [
            "",
            "# More tokens: bearward-dev token --issuer \(issuer.issuer) --audience \(DemoFile.resource) --scope shopping:read",
            "# Ctrl-C stops everything. The gateway's access log follows.",
        ]
        return lines.joined(separator: "\n")
    }

    private func curl(_ request: DemoRequest) -> String {
        var words = ["curl -i"]
        if request.method != "GET" { words.append("-X \(request.method)") }
        if let token = request.token { words.append("-H \"Authorization: Bearer $\(token.rawValue)\"") }
        for field in request.fields { words.append("-H \"\(field.name): \(field.value)\"") }
        if let body = request.body { words.append("-H \"Content-Type: application/json\" -d '\(body)'") }
        return (words + [url + request.path]).joined(separator: " ")
    }
}
