#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Opens a page in Chromium and looks at it, through the browser's own protocol over a
pipe: needs nothing but Python.

    browser.py [OPTION]… BROWSER FILE[?QUERY]

Prints what the script of --probe returns, a list of lines, then "opened after N ms",
and every error and message of the console as "console: …".
"""
import argparse
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time


class Browser:
    """One browser with one page."""

    def __init__(self, program, patience):
        self.until = time.monotonic() + patience
        self.profile = tempfile.mkdtemp(prefix="lockfair-browser.")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def at_3_and_4():
            # Not to overwrite one of them with the other.
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--hide-scrollbars", "--user-data-dir=" + self.profile,
             "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=at_3_and_4, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]

    def receive(self):
        while b"\0" not in self.buffer:
            left = self.until - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.input, 1 << 20)
            if not data:
                raise EOFError("the browser ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event):
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.receive())

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details))
        return answer["result"].get("value")

    def console(self):
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                yield details.get("exception", {}).get("description", details["text"])
            elif event.get("method") == "Runtime.consoleAPICalled":
                yield " ".join(str(a.get("value", a.get("description")))
                               for a in parameters["args"])
            elif event.get("method") == "Log.entryAdded":
                yield parameters["entry"]["text"]

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def look(browser, options):
    for domain in "Page", "Runtime", "Log":
        browser.call(domain + ".enable")
    browser.call("Emulation.setDeviceMetricsOverride", width=options.width,
                 height=options.height, deviceScaleFactor=options.scale,
                 screenWidth=options.width, screenHeight=options.height,
                 mobile=options.width < 600)
    browser.call("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": "dark" if options.dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce"}])
    browser.call("Page.navigate", url="file://" + options.file)
    browser.wait_for("Page.loadEventFired")
    opened = browser.evaluate(
        "performance.getEntriesByType('navigation')[0].loadEventStart")
    if options.probe:
        for line in browser.evaluate(open(options.probe).read()):
            print(line)
    if options.then:
        browser.evaluate(options.then)
    if options.screenshot:
        # Two frames, so that what is drawn in the next one is there.
        browser.evaluate("new Promise((done) => requestAnimationFrame(() => "
                         "requestAnimationFrame(() => setTimeout(done, 50))))")
        shot = browser.call("Page.captureScreenshot", captureBeyondViewport=False)
        with open(options.screenshot, "wb") as out:
            out.write(base64.b64decode(shot["data"]))
    for text in browser.console():
        print("console:", text)
    print(f"opened after {opened:.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--probe", help="file with a script, whose value is printed")
    parser.add_argument("--then", help="a script, before the screenshot")
    parser.add_argument("--screenshot", help="file for a PNG")
    parser.add_argument("--patience", type=float, default=240, help="seconds")
    parser.add_argument("browser")
    parser.add_argument("file")
    options = parser.parse_args()
    options.file = os.path.abspath(options.file)
    browser = Browser(options.browser, options.patience)
    try:
        look(browser, options)
    except (TimeoutError, EOFError, RuntimeError, OSError) as error:
        print("browser:", error)
        return 1
    finally:
        browser.close()
    return 0


sys.exit(main())
