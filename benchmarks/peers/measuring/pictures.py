"""Which picture is drawn from which table."""

from measuring.plots import Bar, bars, lines
from scenarios.rows import AGAIN

CPU = "CPU µs of one request"


def draw(directory, tables):
    """Writes a picture for each table that has one."""
    drawn = {"seen": seen, "new": new, "rules": rules, "issuers": issuers}
    for name, picture in drawn.items():
        if name in tables:
            (directory / f"{name}.svg").write_text(picture(tables[name]))


def seen(table):
    return bars(f"{CPU}, token seen before (shorter is better)", [bar(row) for row in measured(table)])


def new(table):
    rows, shown, group = [], measured(table), None
    for row in shown:
        heading = (row.group or "No token check") if row.group != group else ""
        rows.append(bar(row, heading))
        group = row.group
    return bars(f"{CPU}, every token new (shorter is better)", rows)


def rules(table):
    return lines(f"{CPU} as rules grow", "rules", series(table))


def issuers(table):
    return lines(f"{CPU} as issuers grow", "issuers", series(table))


def measured(table):
    return [row for row in table.rows if row.samples and not row.name.endswith(AGAIN)]


def bar(row, heading=""):
    values = row.values("cpu")
    return Bar(row.name, row.median(), min(values), max(values), heading)


def series(table):
    """A line for each contender; one without groups is the same everywhere."""
    rows = measured(table)
    counts = sorted({number(row.group) for row in rows if row.group})
    points = {}
    for row in rows:
        places = [number(row.group)] if row.group else [counts[0], counts[-1]] if counts else []
        points.setdefault(row.name, []).extend((place, row.median()) for place in places)
    return points


def number(group):
    return int(group.replace(",", ""))
