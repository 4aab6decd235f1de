"""Prints what ingress-nginx makes of the shipped example: the lines of its template that concern questions, upgrades and fields.

    ingress_nginx.py EXAMPLE MODULE DOOR UPSTREAM HOST...

Each host is a server of its own, and the same judge is asked about all of them. MODULE is nginx's for `more_set_input_headers`, which the
controller has. Addresses and paths are those of `deploy/gateways/nginx/nginx.conf`, so that a test changes them likewise.
"""

import sys

import yaml

_, example, module, door, upstream, *hosts = sys.argv
objects = {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(open(example)) if one}
ingress = objects["Ingress", "orders"]
annotations = {name.rpartition("/")[2]: value for name, value in ingress["metadata"]["annotations"].items()}
namespace, question = annotations["auth-proxy-set-headers"].split("/")
stated = objects["ConfigMap", question]
assert stated["metadata"]["namespace"] == namespace
controller = objects["ConfigMap", "ingress-nginx-controller"]["data"]
assert not [name for name in annotations if name.endswith("-snippet")], "a snippet of an Ingress is off by default"
names = [name.strip() for name in annotations["auth-response-headers"].split(",")]


def server(host):
    taken = "".join(
        f"auth_request_set $answered{number} $upstream_http_{name.lower().replace('-', '_')}; proxy_set_header '{name}' $answered{number};\n"
        for number, name in enumerate(names))
    questions = "".join(f"proxy_set_header '{name}' '{value}';\n" for name, value in stated["data"].items())
    return f"""
    server {{
        listen 8080;
        # HTTP/2
        server_name {host};
        location = /_external-auth {{
            internal;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_set_header X-Forwarded-Proto "";
            proxy_set_header X-Request-ID $request_id;
            proxy_set_header Host judge.example;
            proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
            proxy_set_header X-Original-Method $request_method;
            proxy_set_header X-Sent-From "nginx-ingress-controller";
            proxy_set_header X-Real-IP $remote_addr;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Auth-Request-Redirect $request_uri;
            proxy_http_version 1.1;
            proxy_pass_request_headers on;
            {questions}
            proxy_pass http://127.0.0.1:{door}/;
        }}
        location / {{
            auth_request /_external-auth;
            auth_request_set $auth_cookie $upstream_http_set_cookie;
            add_header Set-Cookie $auth_cookie;
            {taken}
            proxy_set_header Host $http_host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_set_header X-Request-ID $request_id;
            proxy_set_header X-Real-IP $remote_addr;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Host $http_host;
            proxy_set_header X-Forwarded-Port $server_port;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header X-Forwarded-Scheme $scheme;
            proxy_set_header X-Scheme $scheme;
            proxy_set_header X-Original-Forwarded-For $http_x_forwarded_for;
            proxy_set_header Proxy "";
            proxy_http_version 1.1;
            {controller["location-snippet"]}
            proxy_pass http://127.0.0.1:{upstream};
        }}
    }}"""


print(f"""
load_module {module};
worker_processes 1;
pid /run/nginx.pid;
error_log /var/log/nginx/error.log warn;
events {{}}
http {{
    access_log off;
    map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
    {controller["http-snippet"]}
    {"".join(server(host) for host in hosts)}
}}""")
