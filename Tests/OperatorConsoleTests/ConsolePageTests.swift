import Testing

@testable import OperatorConsole

struct ConsolePageTests {
    @Test func `the page shows counts, rules and reasons`() {
        let html = ConsolePage(
            OverviewSample.overview(rules: [
                OverviewSample.rule("shop", "GET /items/**", 48_213, refused: 1_912),
                OverviewSample.rule("shop", "PUT /items", 0), OverviewSample.rule("", "", 5),
            ])
        ).html
        for part in [
            "<title>Bearward · a7</title>", ">0.9.0 (abc)<", ">3 d 4 h<", ">12, 2026-11-01T02:26:40Z<",
            ">generation 4<", #"<code class="pattern">GET /items/**</code>"#, ">48,213</td>", ">1,912</td>",
            ">11 ms</td>", ">never hit</td>", "(no resource matched)",
            #"<span id="never-hit">1 rules never hit</span>"#,
            #"<code class="reason">expired"#, ">96.9 %<", ">READY</span>",
        ] {
            #expect(html.contains(part), "\(part)")
        }
        // Issuers and targets are shown by the script.
        #expect(!html.contains("partner") && !html.contains("10.0.0.1"))
    }

    @Test func `a gateway that is not ready says why`() {
        let html = ConsolePage(OverviewSample.overview(obstacle: "no issuer <has> keys")).html
        #expect(html.contains(">○</span><span id=\"ready\">NOT READY: no issuer &lt;has&gt; keys</span>"))
    }

    @Test func `hostile names are texts, and long ones are cut (T566)`() {
        let long = String(repeating: "e\u{301}<b>", count: 16_384)
        let html = ConsolePage(
            OverviewSample.overview(
                rules: [
                    OverviewSample.rule(OverviewSample.hostile, "GET /", 1), OverviewSample.rule("shop", long, 2),
                ],
                refusals: [ReasonCount(reason: OverviewSample.hostile, status: 401, count: 1)])
        ).html
        #expect(html.contains(#"&lt;script&gt;alert(1)&lt;/script&gt;\u{202e}\u{1b}[2J&quot;&#39;&amp;"#))
        #expect(!html.contains("alert(1)</script>") && !html.contains("<b>"))
        #expect(!html.unicodeScalars.contains("\u{202E}") && !html.unicodeScalars.contains("\u{1B}"))
        #expect(html.utf8.count < 32_000)
    }

    @Test func `a grapheme of any length is cut too`() {
        let text = HTMLText.escaped("a" + String(repeating: "\u{301}", count: 100_000))
        #expect(text.unicodeScalars.count == HTMLText.longest + 1)
    }

    @Test func `the page holds nothing that its policy forbids, and asks no other host`() {
        let html = ConsolePage(OverviewSample.overview()).html
        #expect(html.split(separator: "<script", omittingEmptySubsequences: false).count == 2)
        #expect(html.contains(#"<script src="/console.js" defer></script>"#))
        for forbidden in ["style=", "<style", "javascript:", " onclick", " onload", "https://"] {
            #expect(!html.contains(forbidden), "\(forbidden)")
        }
        for forbidden in ["@import", "url(", "https:"] { #expect(!ConsoleStyle.text.contains(forbidden)) }
    }

    @Test func `the script makes no markup of texts, and stores nothing`() {
        for forbidden in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "localStorage",
            "sessionStorage", "indexedDB", "https:", "import(", "srcdoc",
        ] {
            #expect(!ConsoleScript.text.contains(forbidden), "\(forbidden)")
        }
    }

    @Test func `every element that the script asks for is on the page`() {
        let html = ConsolePage(OverviewSample.overview()).html
        let names = ConsoleScript.text.matches(of: /byId\('([\w-]+)'\)/).map(\.output.1)
        #expect(names.count > 30)
        for name in names { #expect(html.contains("id=\"\(name)\""), "\(name)") }
        for name in ["reason", "rule", "issuer", "client_id", "client", "request_id"] {
            #expect(html.contains("id=\"f-\(name)\""), "\(name)")
        }
    }

    @Test func `the token's field has no name, so that no form can put it into a URL`() throws {
        let html = ConsolePage(OverviewSample.overview()).html
        let field = try #require(html.firstMatch(of: /<input id="token"[^>]*>/)).output
        #expect(!field.contains("name=") && field.contains(#"type="password""#))
        #expect(!html.contains("action="))
    }

    @Test func `the policy permits the page's own files only`() {
        let fields = Dictionary(uniqueKeysWithValues: ConsolePolicy.fields)
        #expect(
            fields["Content-Security-Policy"]
                == """
                default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
                base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
                trusted-types 'none'
                """)
        #expect(fields["X-Content-Type-Options"] == "nosniff" && fields["Cache-Control"] == "no-store")
        #expect(fields["Referrer-Policy"] == "no-referrer")
        #expect(fields["Cross-Origin-Opener-Policy"] == "same-origin")
        #expect(fields["Cross-Origin-Resource-Policy"] == "same-origin")
    }
}
