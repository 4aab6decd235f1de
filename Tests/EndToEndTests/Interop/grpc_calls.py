"""Calls of gRPC through the gateway, by grpcio at both ends: `grpc_calls.py PORT_FILE GATEWAY_PORT CA READ WRITE`.

Without a gateway port it serves: writes its port into the file and answers until it is ended.
Messages are bytes as they are, so that nothing has to be generated.
"""
import sys
import threading
import time
from concurrent import futures

import grpc

SAME = dict(request_deserializer=bytes, response_serializer=bytes)


class Shop(grpc.GenericRpcHandler):
    cancelled = 0

    def service(self, call):
        method = call.method.rsplit("/", 1)[-1]
        return {
            "Unary": grpc.unary_unary_rpc_method_handler(self.unary, **SAME),
            "Download": grpc.unary_stream_rpc_method_handler(self.download, **SAME),
            "Upload": grpc.stream_unary_rpc_method_handler(self.upload, **SAME),
            "Chat": grpc.stream_stream_rpc_method_handler(self.chat, **SAME),
            "Fail": grpc.unary_unary_rpc_method_handler(self.fail, **SAME),
            "Slow": grpc.unary_unary_rpc_method_handler(self.slow, **SAME),
            "Watch": grpc.unary_stream_rpc_method_handler(self.watch, **SAME),
            "Cancelled": grpc.unary_unary_rpc_method_handler(lambda _, __: b"%d" % Shop.cancelled, **SAME),
        }.get(method)

    def unary(self, request, context):
        said = dict(context.invocation_metadata())
        assert "authorization" not in said, said
        context.send_initial_metadata((("x-subject", said.get("x-auth-subject", "")),))
        context.set_trailing_metadata((("x-sum", str(len(request))),))
        return request[::-1]

    def download(self, request, context):
        for number in range(int(request)):
            yield b"%d" % number * 1000

    def upload(self, requests, context):
        return b"%d" % sum(len(request) for request in requests)

    def chat(self, requests, context):
        for request in requests:
            yield request.upper()

    def fail(self, request, context):
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, "not today")

    def slow(self, request, context):
        def ended():
            Shop.cancelled += 1
        context.add_callback(ended)
        time.sleep(float(request))
        return b"late"

    def watch(self, request, context):
        while context.is_active():
            yield b"tick"
            time.sleep(0.1)


def serve(port_file):
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=32))
    server.add_generic_rpc_handlers((Shop(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with open(port_file, "w") as file:
        file.write(str(port))
    server.wait_for_termination()


def status(call):
    try:
        call()
    except grpc.RpcError as error:
        return error
    raise AssertionError("it was answered")


def main(gateway, ca, read, write, short):
    credentials = grpc.ssl_channel_credentials(open(ca, "rb").read())
    channel = grpc.secure_channel(f"localhost:{gateway}", credentials)
    as_reader = (("authorization", "Bearer " + read),)
    as_writer = (("authorization", "Bearer " + write),)

    unary = channel.unary_unary("/shop.Shop/Unary")
    answer, call = unary.with_call(b"hello", metadata=as_reader, timeout=10)
    assert answer == b"olleh", answer
    assert ("x-subject", "user-1") in call.initial_metadata(), call.initial_metadata()
    assert ("x-sum", "5") in call.trailing_metadata(), call.trailing_metadata()
    big = bytes(range(256)) * 12_000
    assert unary(big, metadata=as_reader, timeout=20) == big[::-1]

    parts = list(channel.unary_stream("/shop.Shop/Download")(b"200", metadata=as_reader, timeout=20))
    assert parts == [b"%d" % number * 1000 for number in range(200)]
    total = channel.stream_unary("/shop.Shop/Upload")((b"x" * 5000 for _ in range(100)), metadata=as_writer, timeout=20)
    assert total == b"500000", total

    # Each answer is there before the next question is asked.
    def talk(count):
        turn = threading.Semaphore(1)

        def questions():
            for number in range(count):
                assert turn.acquire(timeout=10)
                yield b"ask %d" % number

        heard = []
        for said in channel.stream_stream("/shop.Shop/Chat")(questions(), metadata=as_reader, timeout=90):
            heard.append(said)
            turn.release()
        assert heard == [b"ASK %d" % number for number in range(count)], (len(heard), heard[-1:])

    talk(50)

    threads = [threading.Thread(target=lambda: [unary(b"ab", metadata=as_reader, timeout=20) for _ in range(50)]) for _ in range(10)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    # The upstream's own verdicts come through.
    error = status(lambda: channel.unary_unary("/shop.Shop/Fail")(b"", metadata=as_reader, timeout=10))
    assert (error.code(), error.details()) == (grpc.StatusCode.FAILED_PRECONDITION, "not today"), error

    # The gateway's: gRPC's codes, with the challenge that HTTP clients get.
    error = status(lambda: unary(b"", timeout=10))
    assert error.code() == grpc.StatusCode.UNAUTHENTICATED, error
    challenge = dict(list(error.trailing_metadata()) + list(error.initial_metadata() or ())).get("www-authenticate", "")
    assert challenge.startswith('Bearer realm="'), error
    error = status(lambda: unary(b"", metadata=(("authorization", "Bearer x.y.z"),), timeout=10))
    assert error.code() == grpc.StatusCode.UNAUTHENTICATED and "not valid" in error.details(), error
    error = status(lambda: channel.stream_unary("/shop.Shop/Upload")(iter([b"x"]), metadata=as_reader, timeout=10))
    assert error.code() == grpc.StatusCode.PERMISSION_DENIED, error
    challenge = dict(list(error.trailing_metadata()) + list(error.initial_metadata() or ())).get("www-authenticate", "")
    assert 'error="insufficient_scope"' in challenge, challenge
    error = status(lambda: channel.unary_unary("/shop.Shop/Nothing/Here")(b"", metadata=as_reader, timeout=10))
    assert error.code() == grpc.StatusCode.PERMISSION_DENIED, error

    # A deadline ends the call at the upstream too.
    slow = channel.unary_unary("/shop.Shop/Slow")
    error = status(lambda: slow(b"3", metadata=as_reader, timeout=0.5))
    assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED, error
    for _ in range(50):
        if int(channel.unary_unary("/shop.Shop/Cancelled")(b"", metadata=as_reader, timeout=10)) >= 1:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("the upstream was not told")

    # A stream ends with the token that opened it.
    watch = channel.unary_stream("/shop.Shop/Watch")
    ticks, began = 0, time.monotonic()
    try:
        for _ in watch(b"", metadata=(("authorization", "Bearer " + short),), timeout=30):
            ticks += 1
    except grpc.RpcError as ended:
        error = ended
    assert error.code() == grpc.StatusCode.UNAUTHENTICATED and "expired" in error.details(), error
    assert ticks > 3 and time.monotonic() - began < 15, (ticks, time.monotonic() - began)

    # A long one; the client measures the round trip with a ping for each answer.
    talk(2000)
    print("all calls as they should be")


if __name__ == "__main__":
    serve(sys.argv[1]) if len(sys.argv) == 2 else main(*sys.argv[1:])
