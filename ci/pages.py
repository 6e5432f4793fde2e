# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the scripts that write measured tables into doc/ have in common."""
import json
import os
import platform
import subprocess
import sys
import tempfile
import time


def fail(text):
    """Ends the script: "ci/NAME: text"."""
    sys.exit(f"ci/{os.path.basename(sys.argv[0])}: {text}")


def machines(lockfair):
    """The models on which cells are judged."""
    lines = subprocess.run([lockfair, "machines"], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    return [line.split()[0] for line in lines if " yes " in line]


def read_records(path):
    with open(path) as file:
        lines = list(file)
    for number, line in enumerate(lines, 1):
        try:
            lines[number - 1] = json.loads(line)
        except ValueError as error:
            fail(f"{path}:{number}: no record: {error}")
    return lines


def records(lockfair, *arguments):
    """What one run records. Inconclusive and failing cells are part of a table."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records")
        command = [lockfair, "run", "--no-controls", "--quiet", "--record", path]
        command += arguments
        done = subprocess.run(command, stdout=subprocess.DEVNULL)
        if done.returncode not in (0, 1, 77):
            fail(f"{' '.join(command)} exits with {done.returncode}")
        return read_records(path)


def row(cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def heading(cells):
    return row(cells) + "\n" + row(["---"] * len(cells))


def machine_of(record, cpu=None):
    """Where a record was made: "2 CPUs (EPYC), Linux 6.1, x86_64"."""
    host = record["volatile"]["host"]
    name = f" ({cpu})" if cpu else ""
    return f"{host['cpus']} CPUs{name}, {host['kernel']}, {host['arch']}"


def busy(record):
    """What the machine did to a run on `threads`, if that decides more than the lock:
    its threads were kept from running for half of the time. Or None."""
    delay = record["volatile"]["noise"]["run_delay_ns"] or 0
    length = record["metrics"]["engine_ns"]
    if record["engine"] == "sim" or delay < length / 2:
        return None
    return (f"the machine was busy: threads of the run waited {delay / 1e6:.0f} ms for "
            f"a CPU, in a run of {length / 1e6:.0f} ms")


def cpu_name():
    """Of this machine, in the words of the kernel."""
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":", 1)[1] for line in file
                     if line.startswith("model name")]
    except OSError:
        names = []
    return " ".join(names[0].split()) if names else platform.machine()


def day():
    return time.strftime("%Y-%m-%d")


def paste(path, marker, text):
    """Puts the text between the two lines of a page that hold the marker."""
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([os.path.join(here, "paste"), marker, path], check=True, text=True,
                   input=text)
