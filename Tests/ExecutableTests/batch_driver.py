#!/usr/bin/env python3
"""Drives `rawget batch` by Python's standard library, against a server of its own on the loopback.

    batch_driver.py RAWGET      exits with 0 when all was as it should be; else the complaint stands on standard error
"""
import base64
import json
import os
import signal
import socket
import subprocess
import sys
import threading

LINES = 10_000
# What 10,000 requests may add to the memory of the process, in KiB: 4 MiB of it are the cache.
GROWTH = 20 << 10
LONGEST_LINE = 16 << 20
# Seconds that all of it may take.
LIMIT = 100


def serve(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=[connection], daemon=True).start()


def answer(connection):
    """Answers each request with its target and content, as text or, below /octets, behind an octet that is none."""
    received = b""
    while True:
        while b"\r\n\r\n" not in received:
            more = connection.recv(1 << 16)
            if not more:
                return
            received += more
        head, received = received.split(b"\r\n\r\n", 1)
        length = next((int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length:")), 0)
        while len(received) < length:
            received += connection.recv(1 << 20)
        content, received = received[:length], received[length:]
        target = head.split(b" ")[1]
        if target == b"/silence":
            continue
        content = target + b" " + content
        if target.startswith(b"/octets"):
            content = b"\xff" + content
        age = b"max-age=60" if target.startswith(b"/stored") else b"no-store"
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nCache-Control: %s\r\nContent-Length: %d\r\n\r\n%s" % (age, len(content), content))


class Batch:
    """A process, and its lines."""

    def __init__(self, program, *options):
        self.process = subprocess.Popen(
            [program, "batch", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def write(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        check(line.endswith(b"\n"), "an answer ended early", line[:200])
        return json.loads(line)

    def ask(self, line):
        self.write(line)
        return self.read()

    def figure(self, name):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))

    def end(self):
        self.process.stdin.close()
        check(self.process.stdout.read() == b"", "more was said than was asked")
        check(self.process.wait() == 0, "the end of input is no success", self.process.returncode)


def check(holds, *words):
    if not holds:
        sys.exit(" ".join(str(word) for word in words))


HOSTILE = [
    b"", b"   ", b"{", b"}", b"null", b"[]", b"\"a\"", b"{\"id\":%d", b"{\"id\":%d}", b"{\"id\":%d,\"url\":7}",
    b"{\"id\":%d,\"url\":\"http://\xff/\"}", b"{\"id\":%d,\"url\":\"http://h/\",\"url\":\"http://h/\"}",
    b"[" * 10_000, b"{\"id\":" * 10_000, b"\x00" * 100, b"{\"id\":%d,\"url\":\"\\ud800\"}",
    b"{\"id\":%d,\"url\":\"http://127.0.0.1:1/\",\"headers\":[[\"A\",\"b\\r\\nC: d\"]]}",
    b"{\"id\":%d,\"url\":\"http://127.0.0.1:1/\",\"timeout\":-1}", b"GET / HTTP/1.1\r", b"{\"id\":%d,\"pause\":100}",
]


def line(number, url):
    """The line `number`, whether it has an answer, and what its id then is."""
    if number % 10 == 9:
        text = HOSTILE[number // 10 % len(HOSTILE)]
        has_id = b"%d" in text
        return (text % number if has_id else text), bool(text.strip()), number if has_id else None
    kind = ["plain", "octets", "stored"][number % 3]
    request = {"id": number, "url": f"{url}/{kind}/{number % 1000}", "headers": [["X-Note", "\u00e9"]]}
    if kind != "stored":
        request |= {"method": "POST", "body": f"n\u00ba {number}"}
    return json.dumps(request).encode(), True, number


def check_answer(number, answer, expected):
    check(answer["id"] == expected, number, "has the answer of", answer["id"])
    if number % 10 == 9:
        check(answer["ok"] is False and answer["error"]["exit"] == 2, "line", number, "was obeyed:", answer)
        return
    check(answer["ok"] and answer["status"] == 200, "line", number, "failed:", answer)
    kind = ["plain", "octets", "stored"][number % 3]
    sent = "" if kind == "stored" else f"n\u00ba {number}"
    content = f"/{kind}/{number % 1000} {sent}"
    if kind == "octets":
        got = base64.b64decode(answer["bodyBase64"], validate=True)
        check(got == b"\xff" + content.encode(), "line", number, "brought", got)
    else:
        check(answer["body"] == content, "line", number, "brought", answer["body"])


def many(program, url):
    """10,000 lines through one process, a tenth of them hostile, written without a look at the answers."""
    batch = Batch(program, "--cache-size", "4m")
    batch.ask(json.dumps({"url": url + "/plain"}).encode())
    before = batch.figure("VmHWM")
    lines = [line(number, url) for number in range(LINES)]

    def write():
        for text, _, _ in lines:
            batch.process.stdin.write(text + b"\n")
        batch.process.stdin.flush()

    writer = threading.Thread(target=write)
    writer.start()
    for number, (_, has_answer, expected) in enumerate(lines):
        if has_answer:
            check_answer(number, batch.read(), expected)
    writer.join()
    growth = batch.figure("VmHWM") - before
    check(growth <= GROWTH, "10,000 lines took", growth, "KiB of memory more than one")
    check(batch.figure("Threads") == 1, "there are threads")
    batch.end()
    return growth


def one_by_one(program, url):
    """Each answer is there before the next line is."""
    batch = Batch(program)
    for number in range(500):
        text, has_answer, expected = line(number, url)
        batch.write(text)
        if has_answer:
            check_answer(number, batch.read(), expected)
    batch.end()


def long_lines(program, url):
    """A line of 16 MiB is obeyed, one of an octet more is not, and neither keeps the next one from its answer."""
    batch = Batch(program)
    frame = json.dumps({"id": 1, "method": "PUT", "url": url + "/plain", "body": ""}).encode()
    longest = frame[:-2] + b"a" * (LONGEST_LINE - len(frame)) + b"\"}"
    answer = batch.ask(longest)
    check(len(longest) == LONGEST_LINE and answer["ok"], "the longest line was not obeyed:", str(answer)[:200])
    check(len(answer["body"]) == LONGEST_LINE - len(frame) + len("/plain "), "its content is not as it was sent")
    answer = batch.ask(longest + b" ")
    check(answer["id"] is None and answer["error"]["exit"] == 2, "a longer line was obeyed:", str(answer)[:200])
    before = batch.figure("VmRSS")
    batch.process.stdin.write(b"x" * (200 << 20) + b"\n")
    batch.process.stdin.flush()
    check(batch.read()["error"]["exit"] == 2, "a line of 200 MiB was obeyed")
    check(batch.figure("VmRSS") <= before + (32 << 10), "a line that is too long was kept")
    check(batch.ask(json.dumps({"url": url + "/plain"}).encode())["ok"], "the next line was not obeyed")
    batch.end()


def signals(program, url):
    """An interruption ends it with 128 plus the signal, whatever it waits for, and without an answer."""
    for text in [b"", b"{\"pause\":1000}", json.dumps({"url": url + "/silence"}).encode()]:
        for number in [signal.SIGINT, signal.SIGTERM]:
            batch = Batch(program)
            # Once there is an answer the signal is waited for.
            batch.ask(b"{}")
            batch.write(text)
            batch.process.send_signal(number)
            check(batch.process.wait() == 128 + number, "interrupted, it ended with", batch.process.returncode)
            check(batch.process.stdout.read() == b"", "what was interrupted has an answer")


def end_late():
    """All of this takes seconds: what takes minutes never ends."""
    print(f"not done within {LIMIT} seconds", file=sys.stderr)
    sys.stderr.flush()
    os._exit(1)


def main(program):
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    threading.Thread(target=serve, args=[listener], daemon=True).start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    threading.Timer(LIMIT, end_late).start()
    growth = many(program, url)
    one_by_one(program, url)
    long_lines(program, url)
    signals(program, url)
    print(f"{LINES} lines took {growth} KiB more than one")
    sys.stdout.flush()
    os._exit(0)


try:
    main(sys.argv[1])
except SystemExit as error:
    print(error, file=sys.stderr)
    sys.stderr.flush()
    os._exit(1)
