"""nghttpx: a plain proxy by the people who wrote the HTTP/2 library, and nghttpd, which answers calls of gRPC."""


def plain(world, port, way):
    front = "" if way.identity else ";no-tls"
    back = ";proto=h2" if way.is_http2_upstream else ""
    tls = f"private-key-file={way.identity.key}\ncertificate-file={way.identity.certificate}\n" if way.identity else ""
    file = world.file(f"nghttpx-{port}.conf", f"""frontend=127.0.0.1,{port}{front}
backend=127.0.0.1,{way.upstream_port(world)};/{back}
workers=1
no-ocsp=yes
add-x-forwarded-for=yes
{tls}""")
    return ["nghttpx", f"--conf={file}"]


def answering_calls(world, port, target, message):
    """Every call of `target` is answered with one message and the trailer `grpc-status: 0`."""
    answer = world.file(f"calls{target}", message)
    types = world.file("calls.types", "application/grpc grpc\n")
    root = answer.parents[target.count("/") - 1]
    return ["nghttpd", "--no-tls", "-a", "127.0.0.1", "-m", "1000", "-d", root, "--no-content-length", "--trailer", "grpc-status: 0",
            "--mime-types-file", types, port]
