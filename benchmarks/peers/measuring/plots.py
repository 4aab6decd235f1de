"""Bars and lines as SVG, readable on a white and on a dark page."""

import math
from dataclasses import dataclass
from html import escape

COLOURS = {"Bearward": "#d9480f", "HAProxy": "#1971c2", "Envoy": "#9c36b5", "nginx": "#2f9e44"}
WIDTH = 860
LABELS = 250
BAR = 24
GAP = 8


def colour(name):
    return next((colour for start, colour in COLOURS.items() if name.startswith(start)), "#868e96")


def strength(name):
    """What checks no token is drawn paler than what does."""
    return 0.5 if name.endswith("plain") else 1


def opening(height, title):
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="14" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#ffffff"/>',
        text(20, 30, title, weight="600", size=16),
    ]


def text(x, y, content, anchor="start", weight="400", size=14, fill="#212529"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" font-size="{size}" fill="{fill}">'
        f"{escape(content)}</text>")


@dataclass(frozen=True)
class Bar:
    """One bar: the median, and the smallest and largest round as a whisker. A `heading` begins a group above it."""

    label: str
    value: float
    low: float
    high: float
    heading: str = ""


def bars(title, bars_in_order):
    """Horizontal bars from zero; the number stands beside each."""
    most = max((bar.high for bar in bars_in_order), default=1) or 1
    scale = (WIDTH - LABELS - 110) / most
    lines, y = [], 50
    for bar in bars_in_order:
        if bar.heading:
            y += 6
            lines.append(text(20, y + 14, bar.heading, weight="600"))
            y += 24
        lines += drawn(bar, y, scale)
        y += BAR + GAP
    return "\n".join([*opening(y + 14, title), *lines, "</svg>\n"])


def drawn(bar, y, scale):
    middle = y + BAR / 2
    end = LABELS + bar.value * scale
    low, high = LABELS + bar.low * scale, LABELS + bar.high * scale
    return [
        text(LABELS - 10, middle + 5, bar.label, anchor="end"),
        f'<rect x="{LABELS}" y="{y}" width="{max(1, bar.value * scale):.1f}" height="{BAR}" rx="2" fill="{colour(bar.label)}" '
        f'fill-opacity="{strength(bar.label)}"/>',
        f'<path d="M{low:.1f} {middle}H{high:.1f}M{low:.1f} {middle - 4}v8M{high:.1f} {middle - 4}v8" stroke="#212529" fill="none"/>',
        text(max(end, high) + 8, middle + 5, f"{bar.value:.1f}"),
    ]


TOP, BOTTOM, LEFT, RIGHT = 60, 330, 70, 620


def lines(title, across, points):
    """Lines over two logarithmic axes. `points`: name → [(x, y)]; `across` names the horizontal axis."""
    every = [point for series in points.values() for point in series]
    if not every:
        return "\n".join([*opening(80, title), text(20, 60, "nothing measured"), "</svg>\n"])
    xs = sorted({x for x, _ in every})
    decades = range(max(0, math.floor(math.log10(min(y for _, y in every)))), math.ceil(math.log10(max(y for _, y in every))) + 1)
    span = math.log10(max(xs[-1], 10) / xs[0])

    def place(x, y):
        height = (math.log10(y) - decades[0]) / max(1, decades[-1] - decades[0])
        return LEFT + math.log10(x / xs[0]) / span * (RIGHT - LEFT), BOTTOM - height * (BOTTOM - TOP)

    drawn_lines = [*grid(decades, xs, place), text((LEFT + RIGHT) / 2, BOTTOM + 45, across, anchor="middle", fill="#495057")]
    ends = sorted(((place(*series[-1])[1], name) for name, series in points.items() if series))
    heights = spread([height for height, _ in ends], 18)
    for (_, name), height in zip(ends, heights):
        drawn_lines += line(name, [place(*point) for point in points[name]], height)
    return "\n".join([*opening(BOTTOM + 65, title), *drawn_lines, "</svg>\n"])


def grid(decades, xs, place):
    drawn_lines = []
    for decade in decades:
        y = place(xs[0], 10**decade)[1]
        drawn_lines.append(f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="#dee2e6"/>')
        drawn_lines.append(text(LEFT - 8, y + 5, f"{10**decade:,}", anchor="end", fill="#495057"))
    for x in xs:
        drawn_lines.append(text(place(x, 10**decades[0])[0], BOTTOM + 22, f"{x:,}", anchor="middle", fill="#495057"))
    return drawn_lines


def line(name, places, label_height):
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour(name)}"/>' for x, y in places]
    x, y = places[-1]
    leader = f'<path d="M{x + 5:.1f} {y:.1f}L{RIGHT + 14} {label_height:.1f}" stroke="{colour(name)}" stroke-dasharray="2 3" fill="none"/>'
    return [
        f'<path d="M{path}" stroke="{colour(name)}" stroke-width="2" stroke-opacity="{strength(name)}" fill="none"/>', *dots, leader,
        text(RIGHT + 18, label_height + 5, name, fill=colour(name)),
    ]


def spread(heights, apart):
    """Moves labels down until none covers another."""
    placed = []
    for height in heights:
        placed.append(max(height, placed[-1] + apart) if placed else height)
    return placed
