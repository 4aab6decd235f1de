"""Writes one Markdown page of everything measured."""

import re
import statistics

from measuring.results import ratios
from measuring.targets import TARGETS

# Heading, and how one number is written; the cell is the median, with the smallest and largest of the rounds.
MEASURES = {
    "cpu": ("CPU µs/request", lambda value: f"{value:.1f}"),
    "rate": ("requests/s", lambda value: f"{value:,.0f}"),
    "mebibytes": ("MiB/s", lambda value: f"{value:,.0f}"),
    "p50": ("p50 ms", lambda value: f"{value / 1000:.2f}"),
    "p99": ("p99 ms", lambda value: f"{value / 1000:.2f}"),
    "p99.9": ("p99.9 ms", lambda value: f"{value / 1000:.2f}"),
    "rss": ("RSS MiB", lambda value: f"{value / 1048576:.1f}"),
    "ready": ("ready ms", lambda value: f"{value * 1000:.0f}"),
    "before": ("RSS before MiB", lambda value: f"{value / 1048576:.1f}"),
    "per_connection": ("KiB each", lambda value: f"{value / 1024:.1f}"),
    "good_rate": ("good/s", lambda value: f"{value:,.0f}"),
    "forged_rate": ("forged/s", lambda value: f"{value:,.0f}"),
    "completed": ("good that completes", lambda value: f"{value:.3f}"),
    "p99_flooded": ("p99 beside forged ms", lambda value: f"{value / 1000:.2f}"),
    "p99_ratio": ("p99 ratio", lambda value: f"{value:.2f}"),
    "busy": ("of one core", lambda value: f"{value * 100:.0f} %"),
}
# The spread matters for what is compared; elsewhere it would only make the table hard to read.
WITH_SPREAD = {"cpu", "rate", "per_connection", "completed", "p99_ratio"}
PICTURES = {
    "seen": ["seen.svg"], "new": ["new.svg"], "rules": ["rules.svg"], "issuers": ["issuers.svg"],
}


def page(tables, descriptions, command, previous=""):
    """The page; what was not measured here is taken over from the `previous` one."""
    head, *kept = re.split(r"^## ", previous, flags=re.MULTILINE)
    sections = {title: text.strip() for title, _, text in (section.partition("\n") for section in kept)}
    sections["Targets"] = "\n".join(targets(tables, sections.get("Targets", "")))
    for name, table in tables.items():
        sections[table.title] = section(table, descriptions[name])
    if descriptions:
        head = "\n".join(["# Measured beside the peers", "", *introduction(command), "", *machine(descriptions)])
    return "\n\n".join([head.strip(), *(f"## {title}\n\n{text}" for title, text in sections.items())]) + "\n"


def section(table, description):
    pictures = [f"![{table.title}]({picture})\n" for picture in PICTURES.get(table.name, [])]
    rounds = max((len(row.samples) for row in table.rows), default=0)
    measured = f"Bearward {description['Bearward']}; {description['Date']}; {rounds} rounds."
    return "\n".join([table.note, "", measured, "", *pictures, *rendered(table)])


def introduction(command):
    return [
        "Each contender has core 0 to itself; wrk and the upstream (nginx) share core 1. Rounds take turns, so that a change of the machine's mood",
        "meets every contender. CPU is user and system time of the contender's processes over the requests it answered. A cell is the median of the",
        "rounds, with the smallest and the largest in brackets; a ratio is the median of the ratios within one round. Absolute figures drift from",
        "machine to machine and from day to day; ratios hold. Where a contender is so fast that core 1 is full, requests/s and latency say what the",
        "load could do, and CPU per request is the figure to compare. Before it was timed, each contender let a good token in, refused a changed,",
        "an expired, a foreign and a missing one, and answered 403 to one without the scope. Bearward runs twice, from the same binary: how far",
        "those two rows are apart is what no ratio can tell.",
        "",
        f"Made by `{command}`. Each table says by which commit and when.",
    ]


def machine(descriptions):
    """That of the last run; commit and date stand with each table."""
    last = max(descriptions.values(), key=lambda description: description["Date"])
    return ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in last.items() if name not in ("Date", "Bearward"))]


def targets(tables, previous):
    """A line for each target; one that was not measured now keeps its figure."""
    lines = ["| | target | measured | met | same binary twice |", "|---|---|---|---|---|"]
    for target in TARGETS:
        figure, met, noise = target.verdict(tables)
        sign = "≥" if target.at_least else "≤"
        start = f"| {target.text} | {sign} {target.limit:g}{target.unit} |"
        kept = next((line for line in previous.splitlines() if line.startswith(start)), None)
        lines.append(f"{start} {figure} | {met} | {noise} |" if met or kept is None else kept)
    return lines


def rendered(table):
    group = [table.group_title] if table.group_title else []
    ratio = [f"÷ {table.baseline}"] if table.baseline and "cpu" in table.measures else []
    headings = [MEASURES[measure][0] for measure in table.measures]
    if table.name == "library":
        headings = ["µs/token"]
    head = [*group, "", headings[0], *ratio, *headings[1:]]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * (len(head) - len(headings) - len(ratio))}{'---:|' * (len(headings) + len(ratio))}"]
    for row in table.rows:
        start = [row.group or "–"] if group else []
        lines.append(f"| {' | '.join([*start, row.name, *cells(table, row, bool(ratio), len(headings))])} |")
    return lines


def cells(table, row, with_ratio, count):
    if row.failure is not None:
        return [f"*{row.failure.replace('|', '/')}*"] + [""] * (count - 1 + with_ratio)
    figures = [cell(row, measure) for measure in table.measures]
    ratio = [ratio_cell(ratios(row, baseline(table, row)))] if with_ratio else []
    return [figures[0], *ratio, *figures[1:]]


def baseline(table, row):
    """The yardstick of the row's group, or the only one there is."""
    return table.row(table.baseline, row.group) or table.row(table.baseline)


def cell(row, measure):
    values = row.values(measure)
    if not values:
        return "–"
    written = MEASURES[measure][1]
    middle = written(statistics.median(values))
    if measure not in WITH_SPREAD or len(values) < 2:
        return middle
    return f"{middle} ({written(min(values))}–{written(max(values))})"


def ratio_cell(figures):
    return f"{statistics.median(figures):.2f}" if figures else "–"
