"""The operators' page in a browser, as an operator uses it, and as a page of another origin tries to.

`console.py ORIGIN TOKEN BROWSER [FOLDER]` opens `ORIGIN/`, types the token, filters, fetches keys and drains a target. It prints what the page showed
as one JSON object. With a folder it leaves pictures of the page there. It needs no package: it talks to the browser through two pipes.
"""
import base64
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

WIDE, NARROW = 1280, 390


class Browser:
    """A headless browser, asked in the DevTools protocol over two pipes: its descriptors 3 and 4."""

    def __init__(self, program):
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        arguments = [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
            f"--user-data-dir={self.profile.name}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "bash", *arguments], pass_fds=[commands, answers],
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(commands)
        os.close(answers)
        self.last, self.received = 0, b""
        self.events = []

    def call(self, method, session=None, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.received:
                part = os.read(self.answers, 1 << 16)
                if not part:
                    raise EOFError("the browser ended")
                self.received += part
            answer, _, self.received = self.received.partition(b"\0")
            answer = json.loads(answer)
            if answer.get("id") != self.last:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.profile.cleanup()


class Page:
    def __init__(self, browser, url, script=True):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")
        self.resize(WIDE)
        if not script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.call("Page.navigate", url=url)
        time.sleep(0.5)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)})?.innerText")

    def wait(self, expression):
        """Waits until the expression is true; false after 20 seconds."""
        end = time.monotonic() + 20
        while not self.value(expression):
            if time.monotonic() > end:
                return False
            time.sleep(0.1)
        return True

    def key(self, key, code, text=""):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def picture(self, path, width, scheme):
        self.resize(width)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        time.sleep(0.5)
        height = min(self.call("Page.getLayoutMetrics")["cssContentSize"]["height"], 8_000)
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))


def faults(browser):
    """Exceptions of scripts, and what the policy of a page blocked."""
    for event in browser.events:
        if event["method"] == "Runtime.exceptionThrown":
            yield json.dumps(event["params"])[:500]
        elif event["method"] == "Log.entryAdded" and event["params"]["entry"]["source"] == "security":
            yield event["params"]["entry"]["text"]


def use(page, token, folder):
    seen = {}
    seen["shows"] = page.wait("document.querySelectorAll('#issuers-list > li').length > 0")
    for name in ["issuers", "upstreams", "rules", "reasons", "ready"]:
        seen[name] = page.text(f"#{name}")
    seen["personsBefore"] = page.text("#persons")
    # By keyboard alone: the token's field, its text, Enter.
    page.value("document.getElementById('token').focus()")
    page.call("Input.insertText", text="wrong")
    page.key("Enter", 13, "\r")
    seen["wrong"] = page.wait("document.getElementById('message').textContent !== ''") and page.text("#message")
    page.value("document.getElementById('token').focus()")
    page.call("Input.insertText", text=token)
    page.key("Enter", 13, "\r")
    seen["personsShown"] = page.wait("document.querySelectorAll('#refusals-list li').length > 0 && document.querySelectorAll('#subjects-list li').length > 0")
    seen["refusals"] = page.text("#refusals-list")
    seen["callers"] = page.text("#callers")
    page.value("document.querySelector('#refusals-list details').open = true")
    seen["opened"] = page.wait("document.querySelector('#refusals-list dd') !== null") and page.text("#refusals-list")
    if folder:
        for width, scheme in [(WIDE, "light"), (WIDE, "dark"), (NARROW, "light"), (NARROW, "dark")]:
            page.picture(folder / f"console-{width}-{scheme}.png", width, scheme)
    page.resize(NARROW)
    seen["overflow"] = page.value("document.documentElement.scrollWidth - innerWidth")
    page.resize(WIDE)
    # Elements that only a name could have made.
    seen["foreign"] = page.value("document.querySelectorAll('b, img, iframe, script:not([src=\"/console.js\"])').length")
    seen["title"] = page.value("document.title")
    seen["unseen"] = page.value(r"/[\u202e\u001b]/.test(document.body.textContent)")
    page.value("document.getElementById('f-reason').value = 'no_such_reason'; document.getElementById('filter').dispatchEvent(new Event('input'))")
    seen["filtered"] = page.wait("document.querySelectorAll('#refusals-list li').length === 0")
    page.value("document.getElementById('f-reason').value = 'expired'; document.getElementById('filter').dispatchEvent(new Event('input'))")
    seen["found"] = page.wait("document.querySelectorAll('#refusals-list li').length > 0")
    page.value("document.querySelector('.fetch').click()")
    seen["fetched"] = page.wait("/^Fetch keys of .*: (?!…)/.test(document.getElementById('message').textContent)") and page.text("#message")
    page.value("document.querySelector('.drain:not([hidden])').click()")
    seen["asked"] = page.text(".drain:not([hidden])")
    page.value("document.querySelector('.drain:not([hidden])').click()")
    seen["drained"] = page.wait("document.querySelector('.return:not([hidden])') !== null") and page.text("#upstreams")
    page.value("const back = document.querySelector('.return:not([hidden])'); back.click(); back.click()")
    seen["returned"] = page.wait("document.querySelector('.return:not([hidden])') === null")
    seen["address"] = page.value("location.href")
    seen["stored"] = page.value("localStorage.length + sessionStorage.length + document.cookie.length")
    seen["faults"] = list(faults(page.browser))
    seen["markup"] = page.value("(() => { try { document.body.lastElementChild.innerHTML = '<b></b>'; return 'made'; } catch (error) { return error.name; } })()")
    page.value("document.getElementById('forget').click()")
    seen["forgotten"] = page.value("document.getElementById('persons').hidden && document.querySelectorAll('#refusals-list li').length === 0")
    return seen


def trespass(page, origin, token):
    """What a page of another origin gets, even one that has the token."""
    attempts = {
        "read": f"fetch('{origin}/api/overview').then(a => a.text())",
        "opaque": f"fetch('{origin}/api/overview', {{mode: 'no-cors'}}).then(a => a.type)",
        "persons": f"fetch('{origin}/api/refusals', {{headers: {{Authorization: 'Bearer {token}'}}}}).then(a => a.text())",
        "drain": f"fetch('{origin}/api/upstreams/drain?target=x', {{method: 'POST', headers: {{Authorization: 'Bearer {token}'}}}}).then(a => a.text())",
        "script": f"new Promise((yes, no) => {{ const s = document.createElement('script'); s.src = '{origin}/console.js'; s.onload = () => yes('ran'); s.onerror = () => no(new Error('refused')); document.head.append(s); }})",
        "frame": f"new Promise(yes => {{ const f = document.createElement('iframe'); f.src = '{origin}/'; f.onload = () => {{ try {{ yes(f.contentDocument ? 'read' : 'refused'); }} catch (error) {{ yes('refused'); }} }}; document.body.append(f); }})",
    }
    return {name: page.value(f"{code}.catch(error => 'refused')") for name, code in attempts.items()}


def main():
    origin, token, program = sys.argv[1:4]
    folder = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None
    browser = Browser(program)
    try:
        if folder:
            Page(browser, f"{origin}/", script=False).picture(folder / f"console-{WIDE}-without-script.png", WIDE, "light")
        seen = use(Page(browser, f"{origin}/"), token, folder)
        seen["trespass"] = trespass(Page(browser, "data:text/html,<title>other</title>"), origin, token)
        print(json.dumps(seen))
    finally:
        browser.end()


if __name__ == "__main__":
    main()
