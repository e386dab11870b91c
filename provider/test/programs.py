#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Real programs with the provider, on the loopback interface alone.

Each program is started unchanged, with OPENSSL_CONF and nothing else, and with a module that counts its calls into a
file (count.c): so every transfer is compared, and it is proved that Rijn did it on both ends. A missing program is a
failure. Ports are taken free from the kernel; waiting is polling with a limit; processes are ended by their number.
"""
import glob
import hashlib
import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

MODULES = os.environ["RIJN_MODULES_COUNTED"]
PYTHON = "/usr/bin/python3"  # Debian's, which uses the system's libssl
SIZE = 20 * 1000 * 1000
FAMILIES = ["gcm", "ctr", "cbc", "xts", "ecb"]
LIMIT = 120  # seconds that anything may take on a loaded machine
TLS = [("1.2", "ECDHE-ECDSA-AES128-GCM-SHA256"), ("1.2", "ECDHE-ECDSA-AES256-GCM-SHA384"),
       ("1.3", "TLS_AES_128_GCM_SHA256"), ("1.3", "TLS_AES_256_GCM_SHA384")]


def program(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin:/sbin:/bin")
    if path is None:
        raise AssertionError(f"{name} is not installed: provider/packages.txt says which packages the tests need")
    return path


def listening(pid, port):
    """Is this process listening on 127.0.0.1:port? Asked of the kernel: a connection made for asking would disturb, and
    somebody else may have taken the port."""
    with open("/proc/net/tcp", encoding="ascii") as f:
        rows = [line.split() for line in f]
    own = {f"socket:[{row[9]}]" for row in rows if row[1:4:2] == [f"0100007F:{port:04X}", "0A"]}
    for fd in glob.glob(f"/proc/{pid}/fd/*"):
        try:
            if os.readlink(fd) in own:
                return True
        except OSError:  # closed by now
            pass
    return False


def text_of(n):
    """n bytes that repeat nowhere near the size of a record."""
    out = bytearray()
    i = 0
    while len(out) < n:
        out += hashlib.sha512(struct.pack("<I", i)).digest() * 3
        i += 1
    return bytes(out[:n])


TEXT = text_of(SIZE)


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rijn-provider-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.running = []
        self.addCleanup(self.stop_all)
        os.chmod(self.dir, 0o755)
        self.config()
        self.key, self.cert = self.path("key.pem"), self.path("cert.pem")

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def write(self, name, text):
        with open(self.path(name), "wb" if isinstance(text, bytes) else "w") as f:
            f.write(text)
        return self.path(name)

    def config(self, algorithms="", ssl=""):
        self.conf = self.write("openssl.cnf", "\n".join((
            "openssl_conf = init", "[init]", "providers = providers", "alg_section = properties", "ssl_conf = ssl",
            "[properties]", "default_properties = ?provider=rijn",
            "[providers]", "default = default_sect", "rijn = rijn_sect", "[default_sect]", "activate = 1",
            "[rijn_sect]", f"module = {MODULES}/rijn.so", "activate = 1",
            f"algorithms = {algorithms}" if algorithms else "",
            "[ssl]", "system_default = tls", "[tls]", "CipherString = DEFAULT:@SECLEVEL=2", ssl,
            "[req]", "distinguished_name = dn", "[dn]", "")))

    def env(self, count=None, conf=None):
        """count: the name of the file this program counts into."""
        e = {k: v for k, v in os.environ.items() if not k.startswith(("OPENSSL_", "RIJN_PROVIDER", "LD_"))}
        e["LC_ALL"] = "C"
        if count:
            e.update(OPENSSL_CONF=conf or self.conf, RIJN_PROVIDER_COUNT=self.path(count))
        return e

    def counted(self, count, family="gcm"):
        """(calls, bytes) of encryption and (calls, bytes) of decryption that this file has seen."""
        try:
            with open(self.path(count), "rb") as f:
                words = struct.unpack("=20Q", f.read(160))
        except FileNotFoundError:
            return (0, 0), (0, 0)
        i = FAMILIES.index(family) * 4
        return words[i:i + 2], words[i + 2:i + 4]

    def prove(self, count, encrypted, decrypted, family="gcm"):
        enc, dec = self.counted(count, family)
        self.assertGreaterEqual(enc[1], encrypted, f"{count}: bytes that Rijn encrypted with {family}")
        self.assertGreaterEqual(dec[1], decrypted, f"{count}: bytes that Rijn decrypted with {family}")

    def run_ok(self, *args, data=None, env=None, status=0):
        r = subprocess.run([program(args[0]), *args[1:]], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           env=env or self.env(), timeout=LIMIT, cwd=self.dir,
                           **({} if data is not None else {"stdin": subprocess.DEVNULL}))
        self.assertEqual(r.returncode, status, f"{args}: {r.stderr.decode(errors='replace')[-3000:]}")
        return r.stdout

    def make_cert(self):
        if os.path.exists(self.cert):
            return
        plain = self.write("plain.cnf", "[req]\ndistinguished_name = dn\n[dn]\n")
        env = dict(self.env(), OPENSSL_CONF=plain)
        self.run_ok("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
                    "-keyout", self.key, "-out", self.cert, env=env)
        os.chmod(self.key, 0o644)

    def start(self, args, env, port=None, **more):
        p = subprocess.Popen([program(args[0]), *args[1:]], env=env, cwd=self.dir, **more)
        self.running.append(p)
        if port is not None:
            until = time.monotonic() + LIMIT
            while not listening(p.pid, port):
                self.assertIsNone(p.poll(), f"{args} ended with status {p.returncode}")
                self.assertLess(time.monotonic(), until, f"{args} does not listen")
                time.sleep(0.02)
        return p

    def serve(self, make_args, env, **more):
        """Starts a server on a free port; takes another port when somebody else was quicker. (process, port)"""
        for attempt in range(5):
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                port = s.getsockname()[1]
            try:
                return self.start(make_args(port), env, port, **more), port
            except AssertionError:
                if attempt == 4:
                    raise
        raise AssertionError("no port")

    def stop(self, p, sig=signal.SIGTERM):
        if p in self.running:
            self.running.remove(p)
        if p.poll() is None:
            p.send_signal(sig)
        try:
            p.wait(20)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait(LIMIT)
        for f in (p.stdin, p.stdout, p.stderr):
            if f:
                try:
                    f.close()
                except BrokenPipeError:
                    pass

    def stop_all(self):
        for p in list(self.running):
            self.stop(p)

    def same(self, got, want=TEXT):
        if got != want:
            self.fail(f"{len(got)} bytes came, and are not the {len(want)} that were sent")


def pour(source, sink, text=TEXT):
    """Writes text into one process while reading as much from the other."""
    def write():
        source.stdin.write(text)
        source.stdin.flush()
    t = threading.Thread(target=write, daemon=True)
    t.start()
    got = bytearray()
    while len(got) < len(text):
        piece = sink.stdout.read1(1 << 20)
        if not piece:
            break
        got += piece
    t.join(LIMIT)
    return bytes(got)


class OpenSSL(Case):
    """openssl s_server and s_client, enc, list, speed."""

    def both_ways(self, version, cipher, algorithms="", family="gcm", text=TEXT, etm=True):
        self.make_cert()
        self.config(algorithms, "" if etm else "Options = -EncryptThenMac")
        for f in ("server", "client"):
            if os.path.exists(self.path(f)):
                os.unlink(self.path(f))
        which = ["-ciphersuites", cipher, "-tls1_3"] if version == "1.3" else ["-cipher", cipher, "-tls1_2"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        server, port = self.serve(lambda port: ["openssl", "s_server", "-quiet", "-accept", f"127.0.0.1:{port}",
                                                "-cert", self.cert, "-key", self.key, *which], self.env("server"),
                                  **pipes)
        client = self.start(["openssl", "s_client", "-quiet", "-verify_return_error", "-CAfile", self.cert, "-connect",
                             f"127.0.0.1:{port}", *which], self.env("client"), **pipes)
        try:
            self.same(pour(client, server, text), text)
            self.same(pour(server, client, text), text)
        finally:
            self.stop(client)
            self.stop(server)
        self.prove("server", len(text), len(text), family)
        self.prove("client", len(text), len(text), family)

    def test_tls(self):
        for version, cipher in TLS:
            with self.subTest(cipher=cipher):
                self.both_ways(version, cipher)

    def test_tls_cbc_on_request(self):
        """Suites with CBC, with and without encrypt-then-MAC: padding and MAC are then the provider's."""
        # Without encrypt-then-MAC libssl takes AES128-SHA256 from the default provider's AES-CBC-HMAC in one.
        for cipher, etm in (("ECDHE-ECDSA-AES128-SHA256", True), ("ECDHE-ECDSA-AES256-SHA384", True),
                            ("ECDHE-ECDSA-AES256-SHA384", False)):
            with self.subTest(cipher=cipher, etm=etm):
                self.both_ways("1.2", cipher, "gcm,cbc", "cbc", TEXT[:1000000], etm)

    def test_enc_on_request(self):
        """The modes that are off by default: not called without the word, called with it, equal output."""
        key, iv = "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef", "f0" * 15 + "ff"
        text = TEXT[:1000001]
        for mode in ("ctr", "cbc", "ecb"):
            for bits in (128, 192, 256):
                args = ["openssl", "enc", f"-aes-{bits}-{mode}", "-K", key[:bits // 4]]
                args += ["-iv", iv] if mode != "ecb" else []
                with self.subTest(mode=mode, bits=bits):
                    plain = self.run_ok(*args, data=text)
                    self.config()
                    self.same(self.run_ok(*args, data=text, env=self.env(f"off{mode}{bits}")), plain)
                    self.assertEqual(self.counted(f"off{mode}{bits}", mode), ((0, 0), (0, 0)))
                    self.config(f"gcm,{mode}")
                    self.same(self.run_ok(*args, data=text, env=self.env(f"on{mode}{bits}")), plain)
                    self.prove(f"on{mode}{bits}", len(text), 0, mode)
                    self.same(self.run_ok(*args, "-d", data=plain, env=self.env(f"on{mode}{bits}")), text)
                    self.prove(f"on{mode}{bits}", len(text), len(text) if mode != "ctr" else 0, mode)

    def test_list(self):
        text = self.run_ok("openssl", "list", "-providers", env=self.env("list")).decode()
        self.assertIn("Rijn", text)
        self.assertIn("status: active", text.split("rijn", 1)[1])

    def test_speed(self):
        for family, cipher in (("gcm", "aes-256-gcm"), ("ctr", "aes-128-ctr"), ("xts", "aes-256-xts")):
            self.config(f"gcm,{family}")
            self.run_ok("openssl", "speed", "-seconds", "1", "-bytes", "16384", "-evp", cipher, env=self.env(family))
            self.assertGreater(self.counted(family, family)[0][0], 0, cipher)
        # As its manual has it, without a configuration.
        env = dict(self.env(), RIJN_PROVIDER_COUNT=self.path("flags"))
        self.run_ok("openssl", "speed", "-provider-path", MODULES, "-provider", "rijn", "-provider", "default",
                    "-propquery", "?provider=rijn", "-seconds", "1", "-bytes", "1024", "-evp", "aes-128-gcm", env=env)
        self.assertGreater(self.counted("flags")[0][0], 0)


class Nginx(Case):
    """nginx with curl: 20 MB down and 20 MB up."""

    def server(self, version, cipher):
        os.makedirs(self.path("files"), exist_ok=True)
        os.makedirs(self.path("temp"), exist_ok=True)
        self.write("files/down", TEXT)
        user = f"user {pwd.getpwuid(os.getuid()).pw_name};" if os.getuid() == 0 else ""
        suites = (f"ssl_conf_command Ciphersuites {cipher};" if version == "1.3" else f"ssl_ciphers {cipher};")
        temp = " ".join(f"{kind}_temp_path {self.path('temp')};" for kind in ("proxy", "fastcgi", "uwsgi", "scgi"))

        def args(port):
            conf = self.write("nginx.conf", f"""
daemon off; worker_processes 2; pid {self.path('nginx.pid')}; error_log stderr; {user}
events {{ worker_connections 64; }}
http {{ access_log off; client_max_body_size 0; client_body_temp_path {self.path('temp')}; {temp}
  server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {self.cert}; ssl_certificate_key {self.key};
    ssl_protocols TLSv{version}; {suites}
    location / {{ root {self.path('files')}; dav_methods PUT; }} }} }}
""")
            return ["nginx", "-e", "stderr", "-p", self.dir, "-c", conf]
        log = open(self.path("nginx.log"), "ab")
        self.addCleanup(log.close)
        return self.serve(args, self.env("server"), stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def test_tls(self):
        self.make_cert()
        for version, cipher in TLS:
            with self.subTest(cipher=cipher):
                for f in ("server", "client"):
                    if os.path.exists(self.path(f)):
                        os.unlink(self.path(f))
                server, port = self.server(version, cipher)
                curl = ["curl", "-sS", "--fail", "--noproxy", "*", "--http1.1", "--cacert", self.cert, "--max-time",
                        "100"]
                curl += (["--tlsv1.3", "--tls13-ciphers", cipher] if version == "1.3"
                         else ["--tls-max", "1.2", "--ciphers", cipher])
                url = f"https://127.0.0.1:{port}"
                try:
                    self.same(self.run_ok(*curl, f"{url}/down", env=self.env("client")))
                    self.run_ok(*curl, "-T", self.path("files", "down"), f"{url}/up", env=self.env("client"))
                    with open(self.path("files", "up"), "rb") as f:
                        self.same(f.read())
                    os.unlink(self.path("files", "up"))
                finally:
                    self.stop(server, signal.SIGQUIT)
                self.prove("server", SIZE, SIZE)
                self.prove("client", SIZE, SIZE)


class Python(Case):
    """Python's ssl on both ends, in processes of their own."""

    SERVER = r"""
import socket, ssl, sys
c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
c.load_cert_chain(sys.argv[1], sys.argv[2])
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
t = c.wrap_socket(s.accept()[0], server_side=True)
got = bytearray()
while len(got) < int(sys.argv[3]):
    piece = t.recv(1 << 16)
    if not piece:
        break
    got += piece
t.sendall(got)
"""
    CLIENT = r"""
import socket, ssl, sys
c = ssl.create_default_context(cafile=sys.argv[1])
t = c.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[2]))), server_hostname="localhost")
print(t.version(), t.cipher()[0], file=sys.stderr)
text = sys.stdin.buffer.read()
t.sendall(text)
got = bytearray()
while len(got) < len(text):
    piece = t.recv(1 << 16)
    if not piece:
        break
    got += piece
sys.stdout.buffer.write(got)
"""

    def test_tls(self):
        self.make_cert()
        for version, cipher in TLS:
            with self.subTest(cipher=cipher):
                for f in ("server", "client"):
                    if os.path.exists(self.path(f)):
                        os.unlink(self.path(f))
                self.config("", f"MinProtocol = TLSv{version}\nMaxProtocol = TLSv{version}\n" +
                            (f"Ciphersuites = {cipher}" if version == "1.3"
                             else f"CipherString = {cipher}:@SECLEVEL=2"))
                server = self.start([PYTHON, "-c", self.SERVER, self.cert, self.key, str(SIZE)], self.env("server"),
                                    stdout=subprocess.PIPE)
                port = int(server.stdout.readline())
                client = subprocess.run([PYTHON, "-c", self.CLIENT, self.cert, str(port)], input=TEXT,
                                        capture_output=True, env=self.env("client"), timeout=LIMIT)
                self.assertEqual(client.returncode, 0, client.stderr)
                self.assertIn(f"TLSv{version}", client.stderr.decode())
                self.same(client.stdout)
                self.stop(server)
                self.prove("server", SIZE, SIZE)
                self.prove("client", SIZE, SIZE)


class Wheel(Case):
    """PyPI's cryptography, with a newer OpenSSL linked statically: the module needs no libcrypto of its own."""

    SCRIPT = r"""
from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
import hashlib
print(backend.openssl_version_text())
text, aad = hashlib.sha512(b"rijn").digest() * 300, b"associated"
for bits in (128, 192, 256):
    key, nonce = bytes(range(bits // 8)), bytes(12)
    one = AESGCM(key).encrypt(nonce, text, aad)
    assert AESGCM(key).decrypt(nonce, one, aad) == text
    e = Cipher(algorithms.AES(key), modes.GCM(nonce)).encryptor()
    e.authenticate_additional_data(aad)
    assert e.update(text[:5]) + e.update(text[5:3000]) + e.update(text[3000:]) + e.finalize() + e.tag == one
    d = Cipher(algorithms.AES(key), modes.GCM(nonce)).decryptor()
    d.authenticate_additional_data(aad)
    assert d.update(one[:7]) + d.update(one[7:-16]) + d.finalize_with_tag(one[-16:]) == text
    wrong = one[:-1] + bytes([one[-1] ^ 1])
    d = Cipher(algorithms.AES(key), modes.GCM(nonce)).decryptor()
    d.authenticate_additional_data(aad)
    d.update(one[:-16])
    for forged in lambda: AESGCM(key).decrypt(nonce, wrong, aad), lambda: d.finalize_with_tag(wrong[-16:]):
        try:
            forged()
            raise SystemExit("a forgery went through")
        except Exception as error:
            assert type(error).__name__ == "InvalidTag", error
"""

    def test_cryptography(self):
        r = subprocess.run([os.environ["RIJN_VENV_PYTHON"], "-c", self.SCRIPT], capture_output=True, text=True,
                           env=self.env("wheel"), timeout=LIMIT)
        self.assertEqual(r.returncode, 0, r.stderr)
        sys.stderr.write(r.stdout)
        self.prove("wheel", 3 * 2 * 64 * 300, 3 * 2 * 64 * 300)


class OpenSSH(Case):
    """ssh and sshd with aes-gcm; with aes-ctr on request."""

    def server(self):
        user = pwd.getpwuid(os.getuid()).pw_name
        for name in ("host", "user"):
            if not os.path.exists(self.path(name)):
                self.run_ok("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(name))
        shutil.copy(self.path("user.pub"), self.path("authorized"))
        os.chmod(self.path("authorized"), 0o644)
        pam = "no"
        if os.getuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)  # sshd's own, which its service makes
            with open("/etc/shadow", encoding="utf-8") as f:
                if any(line.startswith(f"{user}:!") for line in f):
                    pam = "yes"  # without PAM sshd takes such an account for a locked one

        def args(port):
            conf = self.write("sshd_config", f"""
Port {port}
ListenAddress 127.0.0.1
HostKey {self.path('host')}
AuthorizedKeysFile {self.path('authorized')}
PidFile none
UsePAM {pam}
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
Ciphers aes128-gcm@openssh.com,aes256-gcm@openssh.com,aes256-ctr
RekeyLimit 6M
""")
            return [program("sshd"), "-D", "-e", "-f", conf]
        log = open(self.path("sshd.log"), "ab")
        self.addCleanup(log.close)
        return self.serve(args, self.env("server"), stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def transfer(self, cipher, family, text):
        """Sends text there and back. Bytes that were encrypted and decrypted on each end: at least so many."""
        for f in ("server", "client", "known"):
            if os.path.exists(self.path(f)):
                os.unlink(self.path(f))
        server, port = self.server()
        user = pwd.getpwuid(os.getuid()).pw_name
        ssh = ["ssh", "-F", "none", "-p", str(port), "-i", self.path("user"), "-c", cipher]
        for option in ("BatchMode=yes", "IdentitiesOnly=yes", "StrictHostKeyChecking=accept-new", "LogLevel=ERROR",
                       f"UserKnownHostsFile={self.path('known')}", "RekeyLimit=7M"):
            ssh += ["-o", option]
        try:
            self.same(self.run_ok(*ssh, f"{user}@127.0.0.1", "cat", data=text, env=self.env("client")), text)
        except AssertionError as e:
            with open(self.path("sshd.log"), encoding="utf-8", errors="replace") as f:
                raise AssertionError(f"{e}\nsshd: {f.read()[-3000:]}") from e
        finally:
            self.stop(server)
        for f in ("client", "server"):
            enc, dec = self.counted(f, family)
            if family == "ctr":  # its two directions are the same call
                self.assertGreaterEqual(enc[1] + dec[1], 2 * len(text), f)
            else:
                self.prove(f, len(text), len(text), family)

    def test_gcm(self):
        for cipher in ("aes128-gcm@openssh.com", "aes256-gcm@openssh.com"):
            with self.subTest(cipher=cipher):
                self.transfer(cipher, "gcm", TEXT)

    def test_ctr_on_request(self):
        self.config("gcm,ctr")
        self.transfer("aes256-ctr", "ctr", TEXT[:2000000])


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=[sys.argv[0], *sys.argv[1:]])
