"""nginx: the upstreams behind every contender, and a plain proxy as the floor."""

from contenders.way import HTTP1

SIZES = {"1k": 1024, "64k": 65536, "10m": 10485760}
ANSWER = '{"order":7,"item":"lamp"}'


def upstream(directory, port, http2_port):
    """Answers everything with a small object, /api/uploads after it has read the body, and /api/bodies/SIZE with that many bytes.

    On the second port it speaks HTTP/2 in the clear, and has no uploads.
    """
    for name, size in SIZES.items():
        body = directory / "files/api/bodies" / name
        body.parent.mkdir(parents=True, exist_ok=True)
        body.write_bytes(b"x" * size)
    quoted = ANSWER.replace('"', '\\"')
    return configured(directory, "upstream", f"""
    upstream itself {{ server 127.0.0.1:{port}; keepalive 256; keepalive_requests 1000000000; }}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        client_max_body_size 0;
        location / {{ return 200 "{quoted}"; }}
        location /api/bodies/ {{ root {directory}/files; sendfile on; }}
        # `return` answers before the body has come, which would measure how each contender gives up an upload. This reads it first.
        location /api/uploads {{
            client_body_buffer_size 16m;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_set_header Connection "";
            proxy_http_version 1.1;
            proxy_pass http://itself/;
        }}
    }}
    server {{
        listen 127.0.0.1:{http2_port} http2 backlog=4096;
        http2_max_concurrent_streams 1000;
        location / {{ return 200 "{quoted}"; }}
        location /api/bodies/ {{ root {directory}/files; sendfile on; }}
    }}""")


def plain(world, port, access_log=False, way=HTTP1):
    log = f"access_log {world.directory}/nginx-plain-access.log;" if access_log else "access_log off;"
    tls = f"ssl_certificate {way.identity.certificate}; ssl_certificate_key {way.identity.key};" if way.identity else ""
    return configured(world.directory, f"plain-{port}", f"""
    {log}
    upstream shop {{ server 127.0.0.1:{way.upstream_port(world)}; keepalive 256; keepalive_requests 1000000000; }}
    server {{
        listen 127.0.0.1:{port}{" http2" if way.is_http2 else ""}{" ssl" if way.identity else ""} backlog=4096;
        {tls}
        client_max_body_size 0;
        location / {{
            {GRPC if way.is_grpc else PROXY}
        }}
    }}""")


PROXY = """proxy_pass http://shop;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_request_buffering off;
            proxy_max_temp_file_size 0;"""
GRPC = """grpc_pass grpc://shop;
            grpc_set_header X-Forwarded-For $remote_addr;"""


def configured(directory, name, servers):
    path = directory / f"nginx-{name}.conf"
    path.write_text(f"""
worker_processes 1;
master_process off;
daemon off;
pid {directory}/nginx-{name}.pid;
error_log {directory}/nginx-{name}.error;
events {{ worker_connections 15000; }}
http {{
    keepalive_requests 1000000000;
    keepalive_timeout 300s;
    client_body_temp_path {directory}/nginx-{name}-body;
    proxy_temp_path {directory}/nginx-{name}-proxy;
    fastcgi_temp_path {directory}/nginx-{name}-fastcgi;
    uwsgi_temp_path {directory}/nginx-{name}-uwsgi;
    scgi_temp_path {directory}/nginx-{name}-scgi;
    {"access_log off;" if name == "upstream" else ""}
    {servers}
}}
""")
    return ["nginx", "-c", path]
