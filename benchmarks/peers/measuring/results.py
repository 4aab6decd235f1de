"""What a scenario returns, kept on disk so that scenarios can be run one by one."""

import json
import statistics
from dataclasses import dataclass, field


@dataclass
class Row:
    """One contender under one condition. `group` is the condition (an algorithm, a number of rules); `note` goes beside the figures."""

    name: str
    group: str = ""
    note: str = ""
    samples: list = field(default_factory=list)
    failure: str | None = None
    program: object = None

    def values(self, measure):
        return [sample[measure] for sample in self.samples if sample.get(measure) is not None]

    def median(self, measure="cpu"):
        values = self.values(measure)
        return statistics.median(values) if values else None


@dataclass
class Table:
    """One scenario's figures. `measures` are the columns to print; `baseline` is the row of each group that the others are divided by."""

    name: str
    title: str
    note: str
    rows: list
    measures: list
    group_title: str = ""
    baseline: str = "HAProxy, plain"

    def row(self, name, group=None):
        return next((row for row in self.rows if row.name == name and (group is None or row.group == group)), None)

    def stored(self):
        rows = [{key: value for key, value in vars(row).items() if key != "program"} for row in self.rows]
        return {key: value for key, value in vars(self).items() if key != "rows"} | {"rows": rows}


def ratios(row, base, measure="cpu"):
    """The ratio in each round, of figures taken one after the other. Empty if either has none."""
    if row is None or base is None:
        return []
    return [ours / theirs for ours, theirs in zip(row.values(measure), base.values(measure)) if theirs > 0]


def save(directory, table, description):
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{table.name}.json"
    path.write_text(json.dumps({"table": table.stored(), "description": description}, indent=1))


def load(directory, name):
    """The table and the description of its run; None if the scenario has not been run."""
    path = directory / f"{name}.json"
    if not path.exists():
        return None
    kept = json.loads(path.read_text())
    rows = [Row(**row) for row in kept["table"].pop("rows")]
    return Table(rows=rows, **kept["table"]), kept["description"]
