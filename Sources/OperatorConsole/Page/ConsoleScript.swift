/// The page's script, served as `/console.js`.
///
/// It sets every text by `textContent`, and makes no markup of texts: under the page's Trusted Types the browser would
/// refuse to. The admin token is in a variable of the page alone.
public enum ConsoleScript {
    public static let contentType = "text/javascript; charset=utf-8"

    public static let text = #"""
        'use strict';
        (() => {
            const interval = 5000;
            const byId = id => document.getElementById(id);

            // The admin token. Nowhere else: not in a URL, a cookie or a storage.
            let token = null;

            // Texts

            // Characters that are invisible or turn the text around are written as their numbers.
            const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
            const shown = (value, most = 200) => {
                const text = String(value);
                const whole = text.length <= most;
                const start = whole ? text : text.slice(0, most);
                const seen = start.replace(unseen, c => `\\u{${c.codePointAt(0).toString(16)}}`);
                return whole ? seen : `${seen}… (${text.length.toLocaleString('en')} characters)`;
            };
            const put = (node, value, most) => {
                const text = shown(value, most);
                if (node.textContent !== text) node.textContent = text;
            };
            const number = value => value.toLocaleString('en');
            const rate = value => (value >= 100 ? number(Math.round(value)) : value.toFixed(1));
            const milliseconds = value => {
                if (value == null) return '–';
                if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
                return `${value >= 10 ? Math.round(value) : value.toFixed(1)} ms`;
            };
            const span = seconds => {
                const whole = Math.max(0, Math.round(seconds));
                const parts = [['d', Math.floor(whole / 86400)], ['h', Math.floor(whole / 3600) % 24],
                    ['min', Math.floor(whole / 60) % 60], ['s', whole % 60]];
                const first = parts.findIndex(([, count]) => count > 0);
                if (first < 0) return '0 s';
                const used = parts.slice(first, first + (first < 2 ? 2 : 1)).filter(([, count]) => count > 0);
                return used.map(([unit, count]) => `${count} ${unit}`).join(' ');
            };
            const clock = time => (/^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)/.exec(time) ?? [null, time])[1];
            const until = (time, now) => (Date.parse(time) - Date.parse(now)) / 1000;
            const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

            // Elements

            const make = (name, className, text) => {
                const node = document.createElement(name);
                if (className) node.className = className;
                if (text !== undefined) put(node, text);
                return node;
            };
            const part = (node, className) => node.getElementsByClassName(className)[0];
            const mark = (node, isGood) => {
                put(node, isGood ? '●' : '○');
                node.classList.toggle('good', isGood);
                node.classList.toggle('bad', !isGood);
            };
            const button = (text, className, act) => {
                const node = make('button', className, text);
                node.type = 'button';
                node.addEventListener('click', act);
                return node;
            };

            // Shows a list in place: nodes of items that stay are kept, with the focus and what is open in them.
            const listed = new WeakMap();
            const list = (parent, items, keyOf, create, update) => {
                const former = listed.get(parent);
                if (!former) parent.replaceChildren();
                const nodes = new Map();
                for (const item of items) {
                    let key = keyOf(item);
                    while (nodes.has(key)) key += ' again';
                    const node = former?.get(key) ?? create();
                    former?.delete(key);
                    nodes.set(key, node);
                    node.item = item;
                    update(node, item);
                }
                for (const node of former?.values() ?? []) node.remove();
                let next = parent.firstElementChild;
                for (const node of nodes.values()) {
                    if (node === next) next = next.nextElementSibling;
                    else parent.insertBefore(node, next);
                }
                listed.set(parent, nodes);
            };
            const empty = (parent, count) => { byId(`${parent}-none`).hidden = count > 0; };
            const say = text => put(byId('message'), text, 400);

            // Requests

            const encode = values => Object.entries(values)
                .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
            const ask = (path, method = 'GET', bearer = null) => fetch(path, {
                method, headers: bearer === null ? {} : {Authorization: `Bearer ${bearer}`}, cache: 'no-store',
                credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer',
                signal: AbortSignal.timeout(30000),
            });
            const fault = async response => {
                const body = await response.json().catch(() => ({}));
                return `${response.status} ${body.error ?? ''}`.trim();
            };
            const change = async (path, words, wording = () => 'done') => {
                say(`${words} …`);
                try {
                    const response = await ask(path, 'POST', token);
                    if (response.status === 401) forget('The token is not the one of admin.token_file.');
                    else if (!response.ok && response.status !== 502) say(`${words}: ${await fault(response)}`);
                    else say(`${words}: ${wording(await response.json())}`);
                } catch (error) { say(`${words}: no answer (${error.message})`); }
                await showOverview();
            };
            // A second click within four seconds confirms.
            const confirmed = (node, act) => {
                if (node.dataset.sure) {
                    delete node.dataset.sure;
                    put(node, node.dataset.word);
                    return act();
                }
                node.dataset.word = node.textContent;
                node.dataset.sure = 'asked';
                put(node, `${node.dataset.word}: sure?`);
                setTimeout(() => {
                    if (!node.dataset.sure) return;
                    delete node.dataset.sure;
                    put(node, node.dataset.word);
                }, 4000);
            };

            // Figures

            const graph = (node, values) => {
                const most = 180;
                const top = Math.max(...values.map(value => value ?? 0), Number.MIN_VALUE);
                const x = index => index + most - values.length;
                let [line, isDown] = ['', false];
                values.forEach((value, index) => {
                    if (value == null) { isDown = false; return; }
                    line += `${isDown ? 'L' : 'M'}${x(index)} ${(30 - 28 * value / top).toFixed(1)}`;
                    if (!isDown) line += 'h.1';
                    isDown = true;
                });
                node.setAttribute('d', line);
                return top === Number.MIN_VALUE ? 0 : top;
            };
            const figure = (name, values, wording) => {
                const last = values.at(-1);
                put(byId(`${name}-now`), last === undefined ? '–' : wording(last));
                const top = graph(byId(`${name}-line`), values);
                put(byId(`${name}-top`), top ? `highest ${wording(top)}` : '');
            };
            const showHead = state => {
                const file = state.configuration;
                const isReady = state.ready;
                document.title = `${isReady ? '●' : '○'} Bearward · ${shown(state.node, 60)}`;
                mark(byId('ready-mark'), isReady);
                put(byId('ready'), isReady ? 'READY' : `NOT READY: ${state.obstacle}`, 400);
                put(byId('version'), state.version);
                put(byId('node'), state.node, 80);
                put(byId('uptime'), span(state.uptime_seconds));
                put(byId('generation'), `${file.generation}, ${clock(file.loaded_at ?? '')} UTC`);
                put(byId('digest'), `${(file.sha256 ?? '').slice(0, 12)}…`);
                byId('digest').title = shown(file.sha256 ?? '');
                byId('file-error').hidden = !file.last_error;
                put(byId('file-error'), `○ The last reload was refused: ${file.last_error}`, 600);
                const shadow = state.shadow;
                byId('shadow-part').hidden = !shadow;
                if (shadow) {
                    const found = `${plural(shadow.different, 'answer')} would differ of ` +
                        number(shadow.same + shadow.different + shadow.unknown);
                    put(byId('shadow'), shadow.last_error
                        ? `generation ${shadow.generation}, refused: ${shadow.last_error}`
                        : `generation ${shadow.generation}, ${found}`, 400);
                }
                const traffic = state.traffic;
                figure('requests', traffic.requests_per_second, rate);
                figure('client-errors', traffic.client_errors_per_second, rate);
                figure('server-errors', traffic.server_errors_per_second, rate);
                figure('p50', traffic.p50_ms, milliseconds);
                figure('p99', traffic.p99_ms, milliseconds);
                put(byId('in-flight'), number(state.requests_in_flight));
                put(byId('connections'), plural(state.connections, 'connection'));
                const lookups = state.token_cache_hits + state.token_cache_misses;
                put(byId('cache'), lookups ? `${(100 * state.token_cache_hits / lookups).toFixed(1)} %` : '–');
                put(byId('lookups'), plural(lookups, 'lookup'));
            };

            // Issuers

            const createIssuer = () => {
                const node = make('li');
                const line = make('p', 'line');
                const what = make('span', 'what');
                what.append(make('strong', 'name'), make('span', 'state'));
                line.append(make('span', 'mark'), what,
                    button('fetch now', 'fetch with-token', () => fetchKeys(node.item.name)));
                node.append(line, make('ul', 'sets'));
                return node;
            };
            const fetchKeys = name => change(`/issuers/${encodeURIComponent(name)}/refresh`, `Fetch keys of ${name}`,
                answer => answer.key_sets.map(set => set.error ?? plural(set.keys, 'key')).join('; '));
            const updateIssuer = now => (node, issuer) => {
                mark(part(node, 'mark'), issuer.ready);
                put(part(node, 'name'), issuer.name, 60);
                const realms = issuer.realms === undefined ? '' : `, ${plural(issuer.realms, 'realm')}`;
                put(part(node, 'state'), (issuer.ready ? 'ready' : 'no usable keys') + realms);
                part(node, 'fetch').setAttribute('aria-label', `fetch the keys of ${shown(issuer.name, 60)} now`);
                list(part(node, 'sets'), issuer.key_sets, set => set.source, () => {
                    const item = make('li');
                    item.append(make('span', 'keys'), make('span', 'source dim'), make('span', 'failure bad'));
                    return item;
                }, (item, set) => {
                    const kids = set.kids.slice(0, 4).map(kid => shown(kid, 24)).join(', ');
                    const names = kids && ` (${kids}${set.keys > 4 ? ', …' : ''})`;
                    const next = set.next_fetch && until(set.next_fetch, now);
                    put(part(item, 'keys'), [
                        plural(set.keys, 'key') + names,
                        set.age_seconds === null ? 'never fetched' : `${span(set.age_seconds)} old`,
                        set.next_fetch && `next fetch ${next > 0 ? `in ${span(next)}` : 'now'}`,
                    ].filter(Boolean).join(', '), 400);
                    put(part(item, 'source'), set.source, 100);
                    put(part(item, 'failure'), set.last_error ? `last fetch failed: ${set.last_error}` : '', 300);
                });
            };

            // Upstreams

            const targetName = target => `${target.resource}${target.path === '/' ? '' : ` ${target.path}`}`;
            const createTarget = () => {
                const node = make('li');
                const line = make('p', 'line');
                const move = (word, path) => {
                    const made = button(word, `${word} with-token`, () => confirmed(made, () => {
                        const {target, resource, path: below} = node.item;
                        change(`${path}?${encode({target, resource, path: below})}`, `${word} ${shown(target, 60)}`);
                    }));
                    return made;
                };
                const what = make('span', 'what');
                what.append(make('strong', 'place'), make('span', 'name'));
                line.append(make('span', 'mark'), what,
                    move('drain', '/api/upstreams/drain'), move('return', '/api/upstreams/return'));
                const more = make('p', 'more');
                more.append(make('span', 'state'), make('span', 'load dim'));
                node.append(line, more, make('p', 'cause bad'));
                return node;
            };
            const updateTarget = (node, target) => {
                const isIn = target.state === 'in';
                mark(part(node, 'mark'), isIn);
                put(part(node, 'place'), targetName(target), 60);
                put(part(node, 'name'), target.target, 60);
                const since = target.since_seconds === null ? '' : ` for ${span(target.since_seconds)}`;
                put(part(node, 'state'), (isIn ? 'in' : 'out') + since);
                const latency = target.latency_us === null ? '' : `, ${milliseconds(target.latency_us / 1000)}`;
                put(part(node, 'load'), `${number(target.in_flight)} in flight${latency}`);
                put(part(node, 'cause'), target.cause ?? '', 200);
                part(node, 'drain').hidden = !isIn || target.isAlone;
                part(node, 'return').hidden = isIn;
                for (const word of ['drain', 'return']) {
                    part(node, word).setAttribute('aria-label', `${word} ${shown(target.target, 60)}`);
                }
            };

            // Soon

            const events = {
                certificate_expires: (event, left) =>
                    `certificate ${shown(event.name ?? '', 60)} ${left > 0 ? 'expires' : 'has expired'}`,
                rule_enforces: event => `${shown(event.name ?? '', 80)} begins to refuse`,
                denials_end: event => `${event.count === 1 ? '1 denial ends' :
                    `${number(event.count ?? 0)} denials end, the first`}`,
                key_set_unusable: event => `keys of ${shown(event.name ?? '', 60)} become too old`,
            };
            const updateEvent = now => (node, event) => {
                const left = until(event.at, now);
                put(part(node, 'event'), (events[event.event] ?? (one => one.event))(event, left), 200);
                put(part(node, 'when'), left > 0 ? `in ${span(left)}` : `since ${span(-left)}`);
                node.classList.toggle('bad', left <= 0);
            };

            // Rules

            const columns = ['rate', 'requests', '401', '403', '429', '5xx', 'p95'];
            const names = {rate: 'req/s', requests: 'requests'};
            const samples = [];
            const ruleKey = rule => JSON.stringify([rule.resource, rule.rule]);
            // Requests a second of the last minute. Null at first.
            const ruleRate = rule => {
                const [first, last] = [samples[0], samples.at(-1)];
                const before = first?.counts.get(ruleKey(rule));
                if (before === undefined || last.time <= first.time) return null;
                return Math.max(0, rule.requests - before) / ((last.time - first.time) / 1000);
            };
            const createRule = () => {
                const row = make('tr');
                const head = make('th', 'rule');
                head.scope = 'row';
                head.append(make('span', 'place dim'), make('code', 'pattern'));
                row.append(head, ...columns.map(name => {
                    const cell = make('td', `c-${name}`);
                    cell.dataset.label = names[name] ?? name;
                    return cell;
                }));
                const would = make('td', 'would');
                would.dataset.label = 'would';
                row.append(would);
                return row;
            };
            const updateRule = (row, rule) => {
                const none = rule.resource === '' ? 'no resource' : 'no rule';
                put(part(row, 'place'), rule.resource, 60);
                put(part(row, 'pattern'), rule.rule || `(${none} matched)`, 120);
                const speed = ruleRate(rule);
                const values = {
                    rate: speed === null ? '–' : rate(speed),
                    requests: rule.requests ? number(rule.requests) : 'never hit', p95: milliseconds(rule.p95_ms),
                };
                for (const name of columns) {
                    const cell = part(row, `c-${name}`);
                    put(cell, values[name] ?? number(rule[name]));
                    cell.classList.toggle('none', values[name] === undefined && rule[name] === 0);
                }
                put(part(row, 'would'), [
                    rule.would_refuse && `observe: ${number(rule.would_refuse)} refused`,
                    rule.shadow_differs && `shadow: ${number(rule.shadow_differs)} differ`,
                ].filter(Boolean).join(', ') || '–');
                part(row, 'would').classList.toggle('none', !rule.would_refuse && !rule.shadow_differs);
                part(row, 'c-p95').classList.toggle('none', rule.p95_ms === null);
                row.classList.toggle('unused', rule.requests === 0);
            };
            let rules = [];
            const showRules = () => {
                const wanted = byId('rule-filter').value.toLowerCase();
                const isUnused = byId('rule-unused').checked;
                const chosen = rules.filter(rule => (!isUnused || rule.requests === 0)
                    && `${rule.resource} ${rule.rule}`.toLowerCase().includes(wanted));
                list(byId('rules-list'), chosen, ruleKey, createRule, updateRule);
                put(byId('rules-count'), chosen.length === rules.length ? plural(rules.length, 'row')
                    : `${number(chosen.length)} of ${plural(rules.length, 'row')}`);
                empty('rules', chosen.length);
            };

            // Reasons

            const createReason = () => {
                const node = make('tr');
                const head = make('th');
                head.scope = 'row';
                head.append(make('code', 'reason'));
                node.append(head, make('td', 'status'), make('td', 'count'));
                return node;
            };
            const updateReason = (node, refusal) => {
                put(part(node, 'reason'), refusal.reason, 80);
                put(part(node, 'status'), refusal.status ?? 'client left');
                put(part(node, 'count'), number(refusal.count));
            };

            const showOverview = async () => {
                let state;
                try {
                    const response = await ask('/api/overview');
                    if (!response.ok) throw new Error(await fault(response));
                    state = await response.json();
                } catch (error) {
                    document.body.classList.add('old');
                    mark(byId('ready-mark'), false);
                    put(byId('ready'), `NO ANSWER; the figures are old (${error.message})`, 300);
                    return;
                }
                document.body.classList.remove('old');
                samples.push({time: performance.now(),
                    counts: new Map(state.rules.map(rule => [ruleKey(rule), rule.requests]))});
                if (samples.length > 13) samples.shift();
                put(byId('time'), `${clock(state.time)} UTC`);
                showHead(state);
                list(byId('issuers-list'), state.issuers, issuer => issuer.name, createIssuer, updateIssuer(state.time));
                empty('issuers', state.issuers.length);
                const targets = state.upstreams.flatMap(({resource, path, targets: all}) =>
                    all.map(target => ({...target, resource, path, isAlone: all.length === 1})));
                list(byId('upstreams-list'), targets,
                    target => JSON.stringify([target.resource, target.path, target.target]), createTarget, updateTarget);
                empty('upstreams', targets.length);
                list(byId('soon-list'), state.soon, event => `${event.event} ${event.name} ${event.at}`, () => {
                    const node = make('li');
                    node.append(make('span', 'event'), make('span', 'when dim'));
                    return node;
                }, updateEvent(state.time));
                empty('soon', state.soon.length);
                rules = state.rules;
                put(byId('never-hit'), `${plural(state.rules_never_hit, 'rule')} never hit` + (state.rules_left_out
                    ? `, ${number(state.rules_left_out)} not listed` : ''));
                showRules();
                list(byId('reasons-list'), state.refusals, refusal => refusal.reason, createReason, updateReason);
                empty('reasons', state.refusals.length);
                choices('reason-choices', state.refusals.map(refusal => refusal.reason));
                choices('issuer-choices', state.issuers.map(issuer => issuer.name));
                choices('rule-choices', [...new Set(rules.map(rule => rule.rule).filter(Boolean))]);
            };
            const choices = (id, values) => list(byId(id), values, value => value, () => make('option'),
                (node, value) => { if (node.value !== value) node.value = value; });

            // Persons

            const members = ['reason', 'rule', 'issuer', 'client_id', 'client', 'request_id'];
            const createRefusal = () => {
                const node = make('li');
                const details = make('details');
                const summary = make('summary');
                summary.append(make('span', 'time'), make('span', 'status bad'), make('code', 'reason'),
                    make('span', 'what'), make('span', 'detail dim'));
                const all = make('dl');
                details.append(summary, all);
                details.addEventListener('toggle', () => showMembers(details, node.item));
                node.append(details);
                return node;
            };
            const showMembers = (details, refusal) => {
                if (!details.open) return;
                const entries = Object.entries(refusal).filter(([, value]) => value !== null);
                // An ID that a shell could take for more than a word is no command to copy.
                const isWord = /^[\w-][\w.-]*$/.test(refusal.request_id ?? '');
                const why = isWord ? [['why', `bearward why ${refusal.request_id}`]] : [];
                list(details.lastElementChild, [...entries, ...why], ([name]) => name, () => {
                    const node = make('div');
                    node.append(make('dt'), make('dd'));
                    return node;
                }, (node, [name, value]) => {
                    put(node.firstElementChild, name);
                    put(node.lastElementChild, typeof value === 'object' ? JSON.stringify(value) : value, 1000);
                });
            };
            const updateRefusal = (node, refusal) => {
                const would = refusal.would && typeof refusal.would === 'object' ? refusal.would : null;
                put(part(node, 'time'), clock(refusal.time ?? ''), 40);
                const isForwarded = refusal.reason === null || refusal.reason === undefined;
                put(part(node, 'status'), `${isForwarded ? '●' : '○'} ${refusal.status ?? '–'}`);
                part(node, 'status').classList.toggle('bad', !isForwarded);
                put(part(node, 'reason'), refusal.reason ?? `would be ${would?.reason ?? refusal.would ?? 'refused'}`, 60);
                put(part(node, 'what'), `${refusal.method ?? ''} ${refusal.path ?? ''}`.trim(), 90);
                put(part(node, 'detail'), refusal.detail ?? refusal.hint ?? '', 160);
            };
            const refusalsPath = () => {
                const chosen = members.map(name => [name, byId(`f-${name}`).value.trim()]).filter(([, value]) => value);
                return `/api/refusals?${encode({limit: 50, ...Object.fromEntries(chosen)})}`;
            };
            const createCaller = () => {
                const node = make('li');
                const bar = make('meter');
                bar.setAttribute('aria-hidden', 'true');
                node.append(make('span', 'name'), make('span', 'count'), bar);
                return node;
            };
            const updateCaller = total => (node, caller) => {
                const issuer = caller.issuer ? `${shown(caller.issuer, 30)}: ` : '';
                put(part(node, 'name'), `${issuer}${shown(caller.name, 60)}${caller.cut ? '…' : ''}`, 1200);
                const least = caller.count - caller.error;
                const share = total ? ` · ${(100 * least / total).toFixed(0)} %` : '';
                put(part(node, 'count'), (caller.error ? `${number(least)}–` : '') + number(caller.count) + share);
                node.lastElementChild.max = Math.max(total, 1);
                node.lastElementChild.value = least;
            };
            const showRefusals = async bearer => {
                const response = await ask(refusalsPath(), 'GET', bearer);
                if (bearer !== token) return;
                if (response.status === 401 || response.status === 403) return forget(await fault(response));
                if (!response.ok) return put(byId('refusals-count'), await fault(response));
                const answer = await response.json();
                if (bearer !== token) return;
                list(byId('refusals-list'), answer.refusals,
                    refusal => JSON.stringify([refusal.request_id, refusal.time, refusal.path]),
                    createRefusal, updateRefusal);
                empty('refusals', answer.refusals.length);
                put(byId('refusals-count'), `${number(answer.refusals.length)} shown of ${number(answer.kept)} kept, ` +
                    `${number(answer.noted)} noted` + (answer.left_out ? `, ${number(answer.left_out)} left out` : ''));
            };
            const showCallers = async bearer => {
                const response = await ask('/api/callers', 'GET', bearer);
                if (bearer !== token) return;
                if (!response.ok) return put(byId('callers-length'), await fault(response));
                const answer = await response.json();
                if (bearer !== token) return;
                put(byId('callers-length'), answer.seconds < 90 ? `last ${span(answer.seconds)}`
                    : `last ${Math.round(answer.seconds / 60)} min`);
                for (const kind of ['clients', 'subjects', 'addresses']) {
                    const {callers, total} = answer[kind];
                    list(byId(`${kind}-list`), callers.slice(0, 8), caller => JSON.stringify([caller.issuer, caller.name]),
                        createCaller, updateCaller(total));
                    put(byId(`${kind}-total`), plural(total, 'request'));
                }
            };
            const showPersons = async () => {
                if (token === null || byId('pause').checked) return;
                const bearer = token;
                try {
                    await Promise.all([showRefusals(bearer), showCallers(bearer)]);
                } catch (error) { put(byId('refusals-count'), `no answer (${error.message})`); }
            };
            const reveal = () => {
                document.body.classList.toggle('has-token', token !== null);
                byId('persons').hidden = token === null;
                byId('token-form').hidden = token !== null;
                byId('forget').hidden = token === null;
            };
            const forget = words => {
                token = null;
                for (const id of ['refusals-list', 'clients-list', 'subjects-list', 'addresses-list']) {
                    listed.delete(byId(id));
                    byId(id).replaceChildren();
                }
                for (const name of members) byId(`f-${name}`).value = '';
                reveal();
                say(words);
            };

            byId('token-form').addEventListener('submit', event => {
                event.preventDefault();
                const typed = byId('token').value.trim();
                byId('token').value = '';
                if (!/^[\x21-\x7e]+$/.test(typed)) return say('Type the token of admin.token_file.');
                token = typed;
                reveal();
                say('');
                byId('f-reason').focus();
                showPersons();
            });
            byId('forget').addEventListener('click', () => {
                forget('The token is forgotten.');
                byId('token').focus();
            });
            byId('filter').addEventListener('submit', event => event.preventDefault());
            let typing = null;
            byId('filter').addEventListener('input', () => {
                clearTimeout(typing);
                typing = setTimeout(showPersons, 300);
            });
            byId('rule-filter').addEventListener('input', showRules);
            byId('rule-unused').addEventListener('change', showRules);
            // A page that is kept for its way back keeps no token.
            addEventListener('pagehide', () => { if (token !== null) forget(''); });

            document.body.classList.add('scripted');
            for (const node of document.querySelectorAll('.with-script')) node.removeAttribute('hidden');
            const isSafe = isSecureContext;
            byId('token-form').hidden = !isSafe;
            byId('unsafe').hidden = isSafe;
            const turn = async () => {
                if (!document.hidden) await Promise.all([showOverview(), showPersons()]);
                setTimeout(turn, interval);
            };
            document.addEventListener('visibilitychange', () => { if (!document.hidden) showOverview(); });
            turn();
        })();

        """#
}
