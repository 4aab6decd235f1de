import TokenVerification

/// Head of the page: whether the gateway is ready, which version and file it runs.
struct ConsoleHead {
    private let process: ProcessState
    private let file: FileState
    private let shadow: ShadowState?

    init(_ overview: Overview) {
        (process, file, shadow) = (overview.process, overview.file, overview.shadow)
    }

    var html: String {
        """
        <header>
        <h1>Bearward</h1>
        \(readiness)
        <dl>
        <div><dt>version</dt><dd id="version">\(HTMLText.escaped(process.version))</dd></div>
        <div><dt>node</dt><dd id="node">\(HTMLText.escaped(process.node))</dd></div>
        <div><dt>up</dt><dd id="uptime">\(ShownNumber.span(process.uptime))</dd></div>
        <div><dt>file</dt><dd id="generation">\(file.generation), \(HTMLText.escaped(loadedAt))</dd></div>
        <div><dt>SHA-256</dt><dd id="digest" class="mono">\(HTMLText.escaped(digest))</dd></div>
        <div id="shadow-part"\(shadow == nil ? " hidden" : "")><dt>shadow</dt><dd id="shadow">\(shadowText)</dd></div>
        </dl>
        <p id="file-error"\(file.lastError == nil ? " hidden" : "")>\(fileError)</p>
        </header>
        """
    }

    private var readiness: String {
        let (mark, word) = process.obstacle.map { ("○", "NOT READY: \($0)") } ?? ("●", "READY")
        let state = process.obstacle == nil ? "good" : "bad"
        return """
            <p class="ready"><span id="ready-mark" class="mark \(state)">\(mark)</span><span id="ready">\
            \(HTMLText.escaped(word))</span></p>
            """
    }

    private var loadedAt: String { file.loadedAt?.description ?? "" }
    private var digest: String { file.digest.map { "\($0.prefix(12))…" } ?? "" }
    private var shadowText: String { shadow.map { "generation \($0.generation)" } ?? "" }

    private var fileError: String {
        file.lastError.map { HTMLText.escaped("○ The last reload was refused: \($0)") } ?? ""
    }
}
