# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tables of doc/seeds.md compare: for each measure the value of a posted
result, that of a record, how both are shown, and the class that counts.

A measure is a class with

    then(table, lock, i)    the value of column i of a lock's row in suites/data/
    here(record)            that of a record; None: it has none
    size(value)             a number, by which runs of several seeds are ordered
    show(value)             a few words
    kind(value, fair)       its class; fair: the value of the last lock of the table
                            in the same column and the same place

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


class Latency:
    """Mean and deviation in ms. Classes: below 3, below 50, up to 400, above."""
    bounds = (3, 50, 400)
    names = ("below 3 ms", "3 to 49 ms", "50 to 400 ms", "starved")

    def then(self, table, lock, i):
        mean, deviation = table["rows"][lock][i]
        return mean, deviation, mean > self.bounds[-1]

    def here(self, record):
        mean, deviation = metric(record, "latency-mean"), metric(record, "latency-sd")
        if mean is None:
            return None
        return mean / MS, deviation / MS, starved(record, "server")

    def size(self, value):
        return value[0]

    def show(self, value):
        mean, deviation, nothing = value
        text = f"{mean:.0f} ± {deviation:.0f} ms"
        return f"starved ({text})" if nothing else text

    def kind(self, value, _fair):
        mean, _deviation, nothing = value
        if nothing:
            return self.names[-1]
        return self.names[sum(mean >= bound for bound in self.bounds)]


class LatencyOutside(Latency):
    """Beside work without the lock, where nobody waits long. One bound: 50 ms."""
    bounds = (50,)
    names = ("below 50 ms", "50 ms and more")


class Bandwidth:
    """Packets a second, and the share of those without CPU threads. Classes by the
    share: below 1 %, up to 15 %, above."""

    def then(self, table, lock, i):
        values = table["rows"][lock]
        return values[i], values[i] / values[0]

    def here(self, record):
        rate, share = metric(record, "bandwidth"), metric(record, "bandwidth-share")
        return None if share is None else (rate, share)

    def size(self, value):
        return value[1]

    def show(self, value):
        rate, share = value
        return f"{rate:.0f} ({100 * share:.0f} %)"

    def kind(self, value, _fair):
        share = value[1]
        return ("below 1 %" if share < 0.01 else "1 to 15 %" if share <= 0.15 else
                "above 15 %")


class Transfer:
    """The time of a transfer in seconds: the least mean of three groups of three
    runs, the least and the most of all. Of the original neither the size of its
    datagrams, nor how it acknowledged them, nor the number of its threads is
    known; so classes are by the ratio to the last lock of the table."""

    def then(self, table, lock, i):
        runs = table["rows"][lock][i]
        groups = [sum(runs[k:k + 3]) / 3 for k in range(0, len(runs), 3)]
        return min(groups), min(runs), max(runs), True

    def here(self, record):
        parts = [metric(record, "transfer-" + name) for name in ("best", "min", "max")]
        if parts[1] is None:
            return None
        best, least, most = parts
        times = (x / SECOND for x in (best or least, least, most))
        return *times, best is not None

    def size(self, value):
        return value[0]

    def show(self, value):
        unit, factor = ("s", 1) if value[2] >= 1 else ("ms", 1000)
        best, least, most = (f"{x * factor:.3g}" for x in value[:3])
        if not value[3]:
            return f"{least} {unit}, not all runs came to their end"
        return f"{best} {unit} ({least} to {most})"

    def kind(self, value, fair):
        ratio = value[0] / fair[0]
        return ("about as fast" if ratio < 1.5 else "some times slower" if ratio <= 20
                else "more than 20 times slower")


class Turns:
    """Whose progress is ahead: that of the interactive thread, of those that compute,
    or nobody's by more than two rounds."""
    words = {"turns": "take turns", "interactive": "interactive one ahead",
             "cpu": "interactive one starved"}

    def then(self, table, lock, i):
        return table["rows"][lock][i], None

    def here(self, record):
        lead = metric(record, "lead")
        if lead is None:
            return None
        ahead = max(record["metrics"]["threads"], key=lambda t: t["steps"])
        return "turns" if lead <= 2 else ahead["role"], lead

    def size(self, value):
        return value[1]

    def show(self, value):
        who, lead = value
        return self.words[who] + ("" if lead is None else f" (lead {lead:.0f})")

    def kind(self, value, _fair):
        return self.words[value[0]]


MEASURES = {
    "latency": Latency(),
    "latency-outside": LatencyOutside(),
    "bandwidth": Bandwidth(),
    "transfer": Transfer(),
    "turns": Turns(),
}
