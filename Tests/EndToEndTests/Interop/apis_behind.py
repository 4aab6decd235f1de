"""Runs the code of a section of docs/apis-behind.md behind the real gateway, and checks who it says is calling.

    apis_behind.py FastAPI|Spring|Express

The machine is one of machine.sh: it has no other network, and the addresses of the page are free. `bearward` and `bearward-dev` are on the path. The
gateway has the page's own file; the API is started as the page says. What is wrong is printed, and the status is then 1.
"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

TOP = pathlib.Path(__file__).resolve().parents[3]
PAGE = (TOP / "docs/apis-behind.md").read_text()
API, GATEWAY, ISSUER = "127.0.0.1:9000", "127.0.0.1:8080", "http://127.0.0.1:9100"
# An address of this machine that is not loopback, reserved for documentation (RFC 5737).
OUTSIDE = "192.0.2.1"
NODE_MODULES = "/usr/share/nodejs"
JARS = "/usr/share/java"
LIBRARIES = [
    "commons-logging", "jackson-annotations", "jackson-core", "jackson-databind", "jetty9-http", "jetty9-io", "jetty9-security", "jetty9-server",
    "jetty9-servlet", "jetty9-util", "jetty9-util-ajax", "servlet-api", "spring3-aop", "spring3-beans", "spring3-context", "spring3-core",
    "spring3-expression", "spring3-web", "spring3-web.servlet",
]
# What Spring Boot would do for the controller, with Spring MVC alone. Its class has no `@Configuration`: classes made at run time fail in Debian's Spring.
MAIN = """
import java.net.InetSocketAddress;
import java.util.Collections;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.servlet.*;
import org.springframework.context.annotation.Bean;
import org.springframework.http.converter.json.MappingJackson2HttpMessageConverter;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.*;

public class Main {
    @Bean
    public RequestMappingHandlerAdapter adapter() {
        RequestMappingHandlerAdapter adapter = new RequestMappingHandlerAdapter();
        adapter.setMessageConverters(Collections.singletonList(new MappingJackson2HttpMessageConverter()));
        return adapter;
    }

    public static void main(String[] arguments) throws Exception {
        AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
        context.register(Main.class, RequestMappingHandlerMapping.class, Orders.class);
        ServletContextHandler handler = new ServletContextHandler();
        handler.addServlet(new ServletHolder(new DispatcherServlet(context)), "/");
        Server server = new Server(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])));
        server.setHandler(handler);
        server.start();
        server.join();
    }
}
"""
USER = f"{ISSUER} ada"
# By the section: what the API says of the caller, and the status and text of its answer without identity headers.
EXPECTED = {
    "FastAPI": (USER, 500, "not behind the gateway"),
    "Spring": (USER, 400, "X-Auth-Issuer"),
    "Express": ({"issuer": ISSUER, "subject": "ada", "scopes": ["orders:read", "orders:write"]}, 500, "not behind the gateway"),
}


def block(text):
    return re.search(r"^```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]


def section(name):
    return re.search(rf"^## {name}\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)[1]


def spring(folder, text):
    """The controller is compiled with a `main`. Spring Boot is in no distribution, so its settings of the address are read here."""
    (folder / "Orders.java").write_text(block(text))
    (folder / "Main.java").write_text(MAIN)
    address, port = (re.search(rf"`server\.{key}=([^`]+)`", text)[1] for key in ("address", "port"))
    path = ":".join([str(folder), *(f"{JARS}/{name}.jar" for name in LIBRARIES)])
    subprocess.run(["javac", "--release", "11", "-cp", path, "-d", folder, folder / "Orders.java", folder / "Main.java"], check=True)
    return ["java", "-cp", path, "Main", address, port], {}


def fast_api(folder, text):
    (folder / "main.py").write_text(block(text))
    return re.search(r"`(uvicorn [^`]+)`", text)[1].split(), {}


def express(folder, text):
    (folder / "app.js").write_text(block(text))
    return ["node", "app.js"], {"NODE_PATH": NODE_MODULES}


STARTS = {"FastAPI": fast_api, "Spring": spring, "Express": express}


def connects(address):
    host, port = address.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
        return True
    except ConnectionRefusedError:
        return False


def start(running, command, address, folder, **environment):
    """Starts a program, and waits until it listens."""
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    program = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, env=os.environ | environment | {"PATH": path})
    running.append(program)
    end = time.monotonic() + 60
    while not connects(address):
        if program.poll() is not None or time.monotonic() > end:
            sys.exit(f"{' '.join(map(str, command))} does not listen at {address}")
        time.sleep(0.05)


def get(address, **fields):
    """The status and the body of `GET /orders`."""
    request = urllib.request.Request(f"http://{address}/orders", headers={name.replace("_", "-"): value for name, value in fields.items()})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


def check(name):
    """The complaints."""
    user, refused, text = EXPECTED[name]
    token = subprocess.run(
        ["bearward-dev", "token", "--audience", "https://api.example.com/orders", "--subject", "ada", "--scope", "orders:read orders:write"],
        check=True, capture_output=True, text=True).stdout.strip()
    host = "api.example.com"
    status, body = get(GATEWAY, Host=host, Authorization=f"Bearer {token}", X_Auth_Issuer="https://evil.example", X_Auth_Subject="admin")
    if (status, status == 200 and json.loads(body)) != (200, {"user": user}):
        yield f"with a token: {status} {body}"
    status, body = get(GATEWAY, Host=host, X_Auth_Issuer=ISSUER, X_Auth_Subject="ada")
    if status != 401:
        yield f"without a token, through the gateway: {status} {body}"
    status, body = get(API)
    if status != refused or text not in body:
        yield f"without identity headers: {status} {body}"
    if connects(f"{OUTSIDE}:9000"):
        yield f"{OUTSIDE}:9000 is reached without the gateway"


def main(name):
    subprocess.run(["ip", "address", "add", f"{OUTSIDE}/32", "dev", "lo"], check=True)
    running = []
    with tempfile.TemporaryDirectory() as created:
        folder = pathlib.Path(created)
        issuers = f"listen: 0.0.0.0:8080\nissuers:\n  company: {{issuer: {ISSUER}, token_type: at+jwt}}\n"
        (folder / "bearward.yaml").write_text(issuers + block(PAGE))
        try:
            command, environment = STARTS[name](folder, section(name))
            start(running, command, API, folder, **environment)
            start(running, ["bearward-dev", "issuer"], "127.0.0.1:9100", folder)
            start(running, ["bearward", "serve", "--config", "bearward.yaml"], GATEWAY, folder)
            # What listens on every address is reached from outside: this refusal is not the network's.
            wrong = list(check(name)) + ([] if connects(f"{OUTSIDE}:8080") else [f"{OUTSIDE} is no address of this machine"])
        finally:
            for program in reversed(running):
                program.terminate()
            for program in running:
                program.wait()
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
