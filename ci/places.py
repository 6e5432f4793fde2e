# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a table of suites/data/ has its values from: the posted ones, and those of
either engine.

A table is rows and columns, in which a cell is a backend in a scenario. Its "cell"
says which, in the words of a reason: "SCENARIO BACKEND", or "SCENARIO BACKEND MACHINE"
where on `sim` a cell has a machine of its own, with {row} and {column} in them. It may
differ from place to place: {"then": ..., "sim": ..., "threads": ...}.

What was posted are numbers in the table's "rows", or records in the files that
"posted" names.
"""
import statistics

CELL = "{scenario}/{column} {row}"


class Place:
    """The values of one table at one place; one without a value is None."""

    def __init__(self, table, measure, label):
        self.table, self.measure, self.label = table, measure, label

    def show(self, row, column):
        value = self.value(row, column)
        if value is None:
            return "–"
        peers = self.measure.peers(self.table, row, column)
        return self.measure.show(value, self.present(peers))

    def present(self, cells):
        values = [self.value(*cell) for cell in cells]
        return [value for value in values if value is not None]


class Numbers(Place):
    """Of the data file."""

    def value(self, row, column):
        i = self.table["columns"].index(column)
        if self.table["rows"][row][i] is None:
            return None
        return self.measure.then(self.table, row, i)


class Records(Place):
    """Of records; name: "then", or the engine. On `sim` those of the cell's machine
    count; machine: that of cells that have none of their own."""

    def __init__(self, table, measure, label, records, name, machine=None):
        super().__init__(table, measure, label)
        self.name, self.machine = name, machine
        self.cells = {}
        for record in records:
            on = record["machine"] if name == "sim" else None
            key = record["scenario"], record["backend"], on
            self.cells.setdefault(key, []).append(record)

    def text(self, row, column):
        """Of the table's "cell"."""
        cell = self.table.get("cell", CELL)
        cell = cell if isinstance(cell, str) else cell[self.name]
        return cell.format(scenario=self.table.get("scenario"), row=row, column=column)

    def full_name(self, row, column):
        """By which reasons and errors call it."""
        return f"{self.text(row, column)} {self.name}"

    def address(self, row, column):
        """Scenario, backend, and the machine on `sim`."""
        scenario, backend, *own = self.text(row, column).split()
        return scenario, backend, *(own or [self.machine])

    def record(self, row, column):
        """The median of the runs that have a value; an even number's lower one."""
        found = self.cells.get(self.address(row, column), [])
        found = [r for r in found if self.measure.here(r) is not None]
        middle = statistics.median_low(
            [self.measure.size(self.measure.here(r)) for r in found]) if found else None
        return next((r for r in found
                     if self.measure.size(self.measure.here(r)) == middle), None)

    def value(self, row, column):
        record = self.record(row, column)
        return self.measure.here(record) if record else None

    def skipped(self, row, column):
        """Why the cell could not be run; None if it was."""
        found = self.cells.get(self.address(row, column), [])
        return next((r["reason"] for r in found if r["verdict"] == "skip"), None)


def classes(then, here, row, column):
    """Those of a cell at two places, by what both of them have; None: one of them has
    no value, or nothing to measure it by."""
    value = then.value(row, column), here.value(row, column)
    peers = [cell for cell in here.measure.peers(here.table, row, column)
             if then.value(*cell) is not None and here.value(*cell) is not None]
    if None in value:
        return None
    kinds = [here.measure.kind(v, place.present(peers))
             for v, place in zip(value, (then, here))]
    return None if None in kinds else kinds
