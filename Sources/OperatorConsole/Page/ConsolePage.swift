import StrictJSON
import TokenVerification

/// The operators' page, as a server renders it: counts, rules and reasons. Its script shows the rest.
///
/// Without script the page is reloaded every ten seconds. Elements of the class `with-script` are hidden then.
public struct ConsolePage: Sendable {
    public static let contentType = "text/html; charset=utf-8"

    private let overview: Overview

    public init(_ overview: Overview) {
        self.overview = overview
    }

    /// The HTML document.
    public var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Bearward · \(HTMLText.escaped(overview.process.node))</title>
        <link rel="stylesheet" href="/console.css">
        <script src="/console.js" defer></script>
        <noscript><meta http-equiv="refresh" content="10"></noscript>
        </head>
        <body>
        <a class="skip" href="#rules">Skip to the rules</a>
        \(ConsoleHead(overview).html)
        <main>
        \(ConsoleFigures(overview).html)
        <div class="panels">
        \(Self.statePanels)
        \(ConsoleCounts(overview).html)
        \(Self.personPanels)
        </div>
        </main>
        <footer><span>State at <span id="time">\(time)</span></span>
        <a href="/metrics">metrics</a> <a href="/readyz">readiness</a> <a href="/api/overview">this page as JSON</a>
        <noscript><span>Issuers, upstreams, coming events, refusals and callers need script.</span></noscript>
        </footer>
        </body>
        </html>

        """
    }

    private var time: String { HTMLText.escaped(overview.time.description) }

    private static let statePanels = """
        <section id="issuers" class="with-script" aria-labelledby="issuers-title" hidden>
        <div class="title"><h2 id="issuers-title">Issuers</h2></div>
        <ul id="issuers-list"></ul><p id="issuers-none" class="dim" hidden>No issuers.</p>
        </section>
        <section id="upstreams" class="with-script" aria-labelledby="upstreams-title" hidden>
        <div class="title"><h2 id="upstreams-title">Upstreams</h2></div>
        <ul id="upstreams-list"></ul><p id="upstreams-none" class="dim" hidden>No upstreams.</p>
        </section>
        <section id="soon" class="with-script" aria-labelledby="soon-title" hidden>
        <div class="title"><h2 id="soon-title">Soon</h2><span class="right dim">30 days</span></div>
        <ul id="soon-list"></ul><p id="soon-none" class="dim" hidden>Nothing ends or begins.</p>
        </section>
        """

    private static let personPanels = """
        <section class="with-script" aria-labelledby="operator-title" hidden>
        <div id="operator">
        <p><strong id="operator-title">For operators.</strong> With the token of <code>admin.token_file</code> the page \
        shows the last refusals and who calls most, and its buttons fetch keys, drain targets and return them. The \
        token stays in the memory of this page.</p>
        <form id="token-form" autocomplete="off" hidden>
        <label>Admin token <input id="token" type="password" autocomplete="off" spellcheck="false"></label>
        <button>Show</button>
        </form>
        <p id="unsafe" class="bad" hidden>○ The token is not asked for here: this connection is neither encrypted nor on \
        this machine. Open the page through an SSH tunnel, as <code>http://127.0.0.1:PORT/</code>.</p>
        <button id="forget" type="button" hidden>Forget the token</button>
        <p id="message" role="status"></p>
        </div>
        </section>
        <div id="persons" hidden>
        <section id="refusals" aria-labelledby="refusals-title">
        <div class="title"><h2 id="refusals-title">Last refusals</h2><span id="refusals-count" class="dim"></span>
        <span class="right"><label class="beside"><input id="pause" type="checkbox"> hold still</label></span></div>
        <form id="filter" autocomplete="off">
        <label>reason <input id="f-reason" list="reason-choices" spellcheck="false"></label>
        <label>rule <input id="f-rule" list="rule-choices" spellcheck="false"></label>
        <label>issuer <input id="f-issuer" list="issuer-choices" spellcheck="false"></label>
        <label>client ID <input id="f-client_id" spellcheck="false"></label>
        <label>client address <input id="f-client" spellcheck="false"></label>
        <label>request ID <input id="f-request_id" spellcheck="false"></label>
        </form>
        <datalist id="reason-choices"></datalist>
        <datalist id="rule-choices"></datalist>
        <datalist id="issuer-choices"></datalist>
        <ol id="refusals-list"></ol><p id="refusals-none" class="dim" hidden>No such refusals.</p>
        </section>
        <section id="callers" aria-labelledby="callers-title">
        <div class="title"><h2 id="callers-title">Who calls most</h2><span id="callers-length" class="dim"></span></div>
        <div class="who">
        <div><h3>Clients <span id="clients-total"></span></h3><ol id="clients-list"></ol></div>
        <div><h3>Subjects <span id="subjects-total"></span></h3><ol id="subjects-list"></ol></div>
        <div><h3>Addresses <span id="addresses-total"></span></h3><ol id="addresses-list"></ol></div>
        </div>
        </section>
        </div>
        """
}
