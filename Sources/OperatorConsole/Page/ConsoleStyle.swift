/// The page's style, served as `/console.css`.
///
/// No meaning is in a colour alone: states have a mark (● or ○) and a word.
public enum ConsoleStyle {
    public static let contentType = "text/css; charset=utf-8"

    public static let text = #"""
        :root {
            color-scheme: light dark;
            --page: #f4f5f4; --panel: #fff; --ink: #17191c; --dim: #565c64; --line: #dcdfe0; --soft: #eceeed;
            --accent: #0b6570; --good: #17693a; --bad: #ad1f1f; --graph: #0b6570; --fill: #0b657014;
        }
        @media (prefers-color-scheme: dark) {
            :root {
                --page: #101214; --panel: #181b1e; --ink: #e7e9ea; --dim: #a2a8ae; --line: #2c3135; --soft: #22262a;
                --accent: #6cccd6; --good: #7fd49c; --bad: #ff9289; --graph: #6cccd6; --fill: #6cccd61f;
            }
        }
        * { box-sizing: border-box; margin: 0; }
        [hidden] { display: none !important; }
        body {
            background: var(--page); color: var(--ink); max-width: 90rem; margin: 0 auto; padding: .75rem 1rem 2rem;
            font: 13px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums;
        }
        a { color: var(--accent); }
        code, .mono { font: 12px/1.45 ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; }
        ul, ol { list-style: none; padding: 0; }
        h1 { font-size: 17px; letter-spacing: -.01em; }
        h2 { font-size: 13px; font-weight: 650; }
        h3 { font-size: 12px; font-weight: 600; color: var(--dim); }
        .dim { color: var(--dim); }
        .good { color: var(--good); }
        .bad { color: var(--bad); }
        .skip { position: absolute; left: -99rem; }
        .skip:focus { left: 1rem; top: .5rem; background: var(--panel); padding: .25rem .5rem; z-index: 1; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }

        header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .15rem 1.25rem; padding: .25rem 0 .6rem; }
        header dl { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; }
        header dl div { display: flex; gap: .4em; min-width: 0; }
        header dt { color: var(--dim); }
        header dd { overflow-wrap: anywhere; }
        .ready { font-weight: 650; overflow-wrap: anywhere; }
        .ready .mark { margin-right: .3em; }
        #file-error { flex-basis: 100%; color: var(--bad); overflow-wrap: anywhere; }
        .old main { opacity: .55; }

        .figures {
            display: grid; grid-template-columns: repeat(7, minmax(0, 1fr)); gap: 1px; background: var(--line);
            border: 1px solid var(--line); border-radius: 8px; overflow: hidden; margin-bottom: .75rem;
        }
        .figures div { background: var(--panel); padding: .5rem .7rem .45rem; min-width: 0; }
        .figures dt { color: var(--dim); font-size: 12px; }
        .figures .now { font-size: 19px; font-weight: 600; line-height: 1.25; letter-spacing: -.01em; }
        .figures .top { color: var(--dim); font-size: 11px; min-height: 1.4em; white-space: nowrap; }
        .figures svg { display: block; width: 100%; height: 30px; margin: .15rem 0 .1rem; }
        .figures .plain { display: flex; flex-direction: column; }
        .figures .plain .top { margin-top: auto; }
        path {
            fill: none; stroke: var(--graph); stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round;
            vector-effect: non-scaling-stroke;
        }

        .panels { display: grid; grid-template-columns: repeat(12, minmax(0, 1fr)); gap: .75rem; }
        section {
            background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .6rem .8rem .7rem;
            grid-column: 1 / -1; min-width: 0;
        }
        section > :is(.title) {
            display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .8rem; margin-bottom: .35rem;
        }
        .title .right { margin-left: auto; display: flex; flex-wrap: wrap; gap: .3rem .8rem; align-items: baseline; }
        #issuers, #upstreams, #soon, #reasons { grid-column: span 4; }
        #rules { grid-column: span 8; }
        #issuers li, #upstreams > ul > li, #soon li { padding: .22rem 0; overflow-wrap: anywhere; }
        .line { display: flex; align-items: baseline; gap: .45rem; }
        .line .what { flex: 1; min-width: 0; overflow-wrap: anywhere; }
        .what > * + * { margin-left: .45rem; }
        .sets { padding-left: 1.15rem; }
        .sets li { padding: 0 !important; display: flex; flex-wrap: wrap; gap: 0 .6rem; }
        .sets .failure, .cause { flex-basis: 100%; }
        .more, .cause { padding-left: 1.15rem; }
        .more { display: flex; flex-wrap: wrap; gap: 0 .6rem; }
        #soon li { display: flex; justify-content: space-between; gap: .75rem; }
        #soon .when { white-space: nowrap; }

        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: right; padding: .17rem .45rem; vertical-align: baseline; }
        th { font-weight: 400; }
        thead th { color: var(--dim); font-size: 12px; border-bottom: 1px solid var(--line); white-space: nowrap; }
        th:first-child { text-align: left; padding-left: 0; }
        th:last-child, td:last-child { padding-right: 0; }
        tbody tr + tr > * { border-top: 1px solid var(--soft); }
        tbody th { overflow-wrap: anywhere; }
        .rule .place { margin-right: .5em; }
        .place:empty { display: none; }
        td.none { color: var(--dim); opacity: .6; }
        body:not(.scripted) .c-rate { display: none; }
        td:is(.c-401, .c-403, .c-429, .c-5xx):not(.none) { font-weight: 650; }
        td.c-5xx:not(.none) { color: var(--bad); }
        .unused { color: var(--dim); }
        .c-requests, .c-p95, .c-rate { white-space: nowrap; }

        form { display: flex; flex-wrap: wrap; gap: .35rem .75rem; align-items: end; }
        label { color: var(--dim); font-size: 12px; }
        label.beside input[type=search] { width: 11rem; }
        label.beside { display: flex; gap: .35rem; align-items: center; }
        input:not([type=checkbox]) {
            display: block; font: inherit; font-size: 13px; color: var(--ink); background: var(--page);
            border: 1px solid var(--line); border-radius: 5px; padding: .2rem .45rem; width: 100%; min-width: 0;
        }
        input[type=checkbox] { accent-color: var(--accent); }
        button {
            font: inherit; font-size: 12px; color: var(--accent); background: transparent; padding: .08rem .5rem;
            border: 1px solid var(--line); border-radius: 5px; cursor: pointer; white-space: nowrap;
        }
        button:hover { border-color: var(--accent); }
        button[data-sure] { color: var(--bad); border-color: var(--bad); }
        body:not(.has-token) .with-token { display: none; }
        #operator { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: end; }
        #operator p { flex: 1 1 24rem; }
        #token { width: 22rem; max-width: 100%; }
        #token-form button { padding: .25rem .7rem; }
        #message { flex-basis: 100%; min-height: 1.45em; font-weight: 600; overflow-wrap: anywhere; }
        #message:empty { display: none; }

        #persons { display: contents; }
        #filter { margin-bottom: .4rem; display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); }
        #refusals-list li + li { border-top: 1px solid var(--soft); }
        summary {
            display: grid; grid-template-columns: 4.6rem 3.6rem 13rem minmax(0, 1fr) minmax(0, 1.6fr); gap: 0 .6rem;
            padding: .17rem 0; cursor: pointer; list-style: none; overflow-wrap: anywhere;
        }
        summary > * { max-height: 2.9em; overflow: hidden; }
        summary::-webkit-details-marker { display: none; }
        summary:hover { background: var(--soft); }
        details[open] > summary { font-weight: 600; }
        details dl {
            display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: .1rem 1.5rem;
            padding: .3rem 0 .6rem 1rem; border-left: 2px solid var(--accent); margin: .1rem 0 .4rem;
        }
        details dl div { display: flex; gap: .6rem; min-width: 0; }
        details dt { color: var(--dim); flex: 0 0 7.5rem; }
        details dd { min-width: 0; overflow-wrap: anywhere; }
        .who { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .5rem 1.5rem; }
        .who h3 span { font-weight: 400; margin-left: .4em; }
        .who li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 .75rem; padding: .1rem 0; }
        .who .name { overflow-wrap: anywhere; }
        meter { grid-column: 1 / -1; width: 100%; height: 3px; border: 0; background: var(--soft); appearance: none; }
        meter::-webkit-meter-bar { background: var(--soft); border: 0; height: 3px; min-height: 0; border-radius: 2px; }
        meter::-webkit-meter-optimum-value { background: var(--graph); border-radius: 2px; }
        meter::-moz-meter-bar { background: var(--graph); }
        footer { margin-top: .75rem; color: var(--dim); font-size: 12px; display: flex; flex-wrap: wrap; gap: .2rem 1rem; }

        @media (max-width: 62rem) {
            .figures { grid-template-columns: repeat(4, minmax(0, 1fr)); }
            #issuers, #upstreams { grid-column: span 6; }
            #soon, #rules, #reasons { grid-column: 1 / -1; }
        }
        @media (max-width: 44rem) {
            body { padding: .5rem .6rem 1.5rem; }
            .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); }
            .figures div:last-child:nth-child(odd) { grid-column: 1 / -1; }
            #issuers, #upstreams { grid-column: 1 / -1; }
            #rules thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
            #rules tr { display: flex; flex-wrap: wrap; gap: 0 .9rem; padding: .3rem 0; }
            #rules td.none { display: none; }
            #rules tbody tr + tr { border-top: 1px solid var(--line); }
            #rules tr > * { border: 0 !important; padding: .05rem 0; text-align: left; }
            #rules tr > th { flex: 1 0 100%; }
            #rules td::before { content: attr(data-label) " "; color: var(--dim); font-size: 11px; font-weight: 400; }
            #filter { grid-template-columns: repeat(2, minmax(0, 1fr)); }
            summary { grid-template-columns: 4.4rem 3.4rem minmax(0, 1fr); }
            summary .what, summary .detail { grid-column: 1 / -1; }
            details dl { grid-template-columns: minmax(0, 1fr); }
            details dt { flex-basis: 6.5rem; }
            .who { grid-template-columns: minmax(0, 1fr); }
            button { padding: .3rem .7rem; }
        }
        @media (prefers-reduced-motion: no-preference) { main { transition: opacity .2s; } }
        @media (forced-colors: active) { section, .figures { border: 1px solid; } path { stroke: CanvasText; } }

        """#
}
