// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! OpenSSL's command as the other side, over loopback: another implementation of TLS. It has to be installed.
mod common;

use common::{client, identity, only, over, server, version, Identity};
use rustls::{CipherSuite, ClientConnection, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

const SUITES: [(CipherSuite, &str, &str); 4] = [
    (CipherSuite::TLS13_AES_128_GCM_SHA256, "-ciphersuites", "TLS_AES_128_GCM_SHA256"),
    (CipherSuite::TLS13_AES_256_GCM_SHA384, "-ciphersuites", "TLS_AES_256_GCM_SHA384"),
    (CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"),
    (CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, "-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384"),
];

/// Ends the program also where the test fails.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn files(identity: &Identity, name: &str) -> (String, String) {
    let path = |kind| format!("{}/{name}-{}-{kind}.pem", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    std::fs::write(path("cert"), &identity.cert_pem).expect("cargo's folder can be written");
    std::fs::write(path("key"), &identity.key_pem).expect("cargo's folder can be written");
    (path("cert"), path("key"))
}

fn openssl(arguments: &[&str]) -> Ended {
    let mut command = Command::new("openssl");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    Ended(command.spawn().expect("openssl is installed"))
}

/// A connection to a server of theirs that took any port and says which.
fn reach(server: &mut Ended) -> TcpStream {
    let said = BufReader::new(server.0.stdout.as_mut().expect("a pipe")).lines();
    let at = said.map(|line| line.expect("text")).find_map(|line| line.strip_prefix("ACCEPT ").map(str::to_owned));
    TcpStream::connect(at.expect("openssl listens")).expect("it listens")
}

/// A line of each length, none with a line's end in it.
fn lines() -> impl Iterator<Item = String> {
    [1, 15, 16, 100, 1400, 9000].into_iter().map(|len| (0..len).map(|i| char::from(b'a' + (i % 26) as u8)).collect())
}

#[test]
fn their_server() {
    let identity = identity();
    let (cert, key) = files(&identity, "server");
    for (suite, option, name) in SUITES {
        let provider = only(over(), suite);
        let mut server =
            openssl(&["s_server", "-accept", "127.0.0.1:0", "-cert", &cert, "-key", &key, "-rev", option, name]);
        let config = client(provider, &identity, &[version(suite)]);
        let connection = ClientConnection::new(Arc::new(config), "localhost".try_into().expect("a name"));
        let mut stream = BufReader::new(StreamOwned::new(connection.expect("a configuration"), reach(&mut server)));
        for line in lines() {
            stream.get_mut().write_all(format!("{line}\n").as_bytes()).expect("an open stream");
            let mut back = String::new();
            stream.read_line(&mut back).expect("a line");
            assert_eq!(back.trim_end().chars().rev().collect::<String>(), line, "{name}");
        }
        assert_eq!(stream.get_ref().conn.negotiated_cipher_suite().map(|s| s.suite()), Some(suite));
    }
}

#[test]
fn their_client() {
    let identity = identity();
    let (cert, _) = files(&identity, "client");
    for (suite, option, name) in SUITES {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let to = listener.local_addr().expect("bound").to_string();
        let arguments = ["s_client", "-connect", &to, "-CAfile", &cert, "-verify_return_error", "-quiet", option, name];
        let mut their = openssl(&arguments);
        let config = server(only(over(), suite), &identity, &[version(suite)]);
        let (socket, _) = listener.accept().expect("it comes");
        let mut stream = StreamOwned::new(ServerConnection::new(Arc::new(config)).expect("a configuration"), socket);
        for line in lines() {
            let line = format!("{line}\n");
            let input = their.0.stdin.as_mut().expect("a pipe");
            input.write_all(line.as_bytes()).and_then(|()| input.flush()).expect("it runs");
            let mut got = vec![0; line.len()];
            stream.read_exact(&mut got).expect("all of it");
            assert_eq!(got, line.as_bytes(), "{name}");
            stream.write_all(&got).expect("an open stream");
            let mut back = vec![0; line.len()];
            their.0.stdout.as_mut().expect("a pipe").read_exact(&mut back).expect("it runs");
            assert_eq!(back, line.as_bytes(), "{name}");
        }
        assert_eq!(stream.conn.negotiated_cipher_suite().map(|s| s.suite()), Some(suite));
    }
}
