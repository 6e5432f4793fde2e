# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tables of doc/seeds.md compare: for each measure the value of a posted
result, that of a record, how both are shown, and the class that counts.

A measure is a class with

    then(table, row, i)         the value of column i of a row in suites/data/
    here(record)                that of a record; None: it has none
    size(value)                 a number, by which runs of several seeds are ordered
    peers(table, row, column)   other cells, by whose values it is measured
    show(value, peers)          a few words; peers: their values at the same place
    kind(value, peers)          its class; None: there are no peers to measure it by

New tables of another kind need one more class here and its name in MEASURES.
"""
MS = 1e6
SECOND = 1e9


def metric(record, name):
    """Of an assertion of the record, or None."""
    for a in record["assertions"]:
        if a["metric"] == name:
            return a["value"]
    return None


def starved(record, role):
    """Did a thread of this role get nothing, before any of another one?"""
    return any(a["metric"] == "starved" and a["value"] > 0 and a["role"] == role
               for a in record["assertions"])


class Measure:
    """One whose class is that of the value alone."""

    def size(self, value):
        return value[0]

    def peers(self, _table, _row, _column):
        return []


class ByReference(Measure):
    """One that is measured by that of a row in the same column, which is the last one
    unless the table names its "reference"."""

    def peers(self, table, _row, column):
        return [(table.get("reference", list(table["rows"])[-1]), column)]


class Latency(Measure):
    """Mean and deviation in ms. Classes: below 3, below 50, up to 400, above."""
    bounds = (3, 50, 400)
    names = ("below 3 ms", "3 to 49 ms", "50 to 400 ms", "starved")

    def then(self, table, row, i):
        mean, deviation = table["rows"][row][i]
        return mean, deviation, mean > self.bounds[-1]

    def here(self, record):
        mean, deviation = metric(record, "latency-mean"), metric(record, "latency-sd")
        if mean is None:
            return None
        return mean / MS, deviation / MS, starved(record, "server")

    def show(self, value, _peers):
        mean, deviation, nothing = value
        text = f"{mean:.0f} ± {deviation:.0f} ms"
        return f"starved ({text})" if nothing else text

    def kind(self, value, _peers):
        mean, _deviation, nothing = value
        if nothing:
            return self.names[-1]
        return self.names[sum(mean >= bound for bound in self.bounds)]


class LatencyOutside(Latency):
    """Beside work without the lock, where nobody waits long. One bound: 50 ms."""
    bounds = (50,)
    names = ("below 50 ms", "50 ms and more")


class Bandwidth(Measure):
    """Packets a second, and the share of those without CPU threads. Classes by the
    share: below 1 %, up to 15 %, above."""

    def then(self, table, row, i):
        values = table["rows"][row]
        return values[i], values[i] / values[0]

    def here(self, record):
        rate, share = metric(record, "bandwidth"), metric(record, "bandwidth-share")
        return None if share is None else (rate, share)

    def size(self, value):
        return value[1]

    def show(self, value, _peers):
        rate, share = value
        return f"{rate:.0f} ({100 * share:.0f} %)"

    def kind(self, value, _peers):
        share = value[1]
        return ("below 1 %" if share < 0.01 else "1 to 15 %" if share <= 0.15 else
                "above 15 %")


class Transfer(ByReference):
    """The time of a transfer in seconds: the least mean of three groups of three
    runs, the least and the most of all. Of the original neither the size of its
    datagrams, nor how it acknowledged them, nor the number of its threads is
    known; so classes are by the ratio to the reference, which is the last lock."""

    def then(self, table, row, i):
        runs = table["rows"][row][i]
        groups = [sum(runs[k:k + 3]) / 3 for k in range(0, len(runs), 3)]
        return min(groups), min(runs), max(runs), True

    def here(self, record):
        parts = [metric(record, "transfer-" + name) for name in ("best", "min", "max")]
        if parts[1] is None:
            return None
        best, least, most = parts
        times = (x / SECOND for x in (best or least, least, most))
        return *times, best is not None

    def show(self, value, _peers):
        unit, factor = ("s", 1) if value[2] >= 1 else ("ms", 1000)
        best, least, most = (f"{x * factor:.3g}" for x in value[:3])
        if not value[3]:
            return f"{least} {unit}, not all runs came to their end"
        return f"{best} {unit} ({least} to {most})"

    def kind(self, value, peers):
        ratio = ratio_to(peers, value[0])
        if ratio is None:
            return None
        return ("about as fast" if ratio < 1.5 else "some times slower" if ratio <= 20
                else "more than 20 times slower")


class Turns(Measure):
    """Whose progress is ahead: that of the interactive thread, of those that compute,
    or nobody's by more than two rounds."""
    words = {"turns": "take turns", "interactive": "interactive one ahead",
             "cpu": "interactive one starved"}

    def then(self, table, row, i):
        return table["rows"][row][i], None

    def here(self, record):
        lead = metric(record, "lead")
        if lead is None:
            return None
        ahead = max(record["metrics"]["threads"], key=lambda t: t["steps"])
        return "turns" if lead <= 2 else ahead["role"], lead

    def size(self, value):
        return value[1]

    def show(self, value, _peers):
        who, lead = value
        return self.words[who] + ("" if lead is None else f" (lead {lead:.0f})")

    def kind(self, value, _peers):
        return self.words[value[0]]


def ratio_to(peers, value):
    """None: there is no peer, or it came to nothing."""
    return value / peers[0][0] if peers and peers[0][0] else None


def times(ratio):
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


class Rate(ByReference):
    """How often a second, and the spread of that from one repetition to the next as a
    part of it, or None. A class is how the rate compares with the reference's."""

    def then(self, table, row, i):
        return table["rows"][row][i], None

    def show(self, value, peers):
        rate, spread = value
        text = f"{rate:.0f}"
        if spread is not None:
            text += f" ± {100 * spread:.0f} %"
        ratio = ratio_to(peers, rate)
        return text if ratio is None else f"{text} ({times(ratio)})"

    def kind(self, value, peers):
        ratio = ratio_to(peers, value[0])
        if ratio is None:
            return None
        return self.names[sum(ratio >= bound for bound in self.bounds)]


class Loops(Rate):
    """Of a token that goes there and back. The bounds lie where the posted values leave
    a gap: the next ones are 0.0001, 0.44; 0.68, 0.83; 1.37, 2.5."""
    bounds = (0.01, 0.7, 2)
    names = ("spins its slices away", "slower", "about as fast", "faster")

    def here(self, record):
        loops = record["metrics"]["loops_per_s"] if record["metrics"] else None
        return (loops["average"], metric(record, "loops-cv")) if loops else None


class Order(Loops):
    """The same: which column of its row is the fastest, which one comes next? What is
    less than 2 % apart shares a place."""

    def peers(self, table, row, _column):
        return [(row, column) for column in table["columns"]]

    def kind(self, value, peers):
        place = sum(rate > 1.02 * value[0] for rate, _spread in peers)
        return ("1st", "2nd", "3rd")[place] if place < 3 else f"{place + 1}th"

    def show(self, value, peers):
        best = max(rate for rate, _spread in peers)
        return f"{self.kind(value, peers)} ({times(value[0] / best)})"


class Iterations(Rate):
    """Of an event loop. The posted ones are 0.70 and 0.97 or more of the reference."""
    bounds = (0.85,)
    names = ("slower", "as fast")

    def here(self, record):
        rate = metric(record, "rate")
        return None if rate is None else (rate, metric(record, "rate-cv"))


MEASURES = {
    "latency": Latency(),
    "latency-outside": LatencyOutside(),
    "bandwidth": Bandwidth(),
    "transfer": Transfer(),
    "turns": Turns(),
    "loops": Loops(),
    "order": Order(),
    "iterations": Iterations(),
}
