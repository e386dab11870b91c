/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* TLS in the kernel, over loopback, static, run in the guest. One connection is sent by Linux's AES-GCM and received by
 * Rijn's, another the other way: the sides that are to be Linux's get their keys first, then /rijn.ko is loaded. */
#include <arpa/inet.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1 << 20, SOL_TLS_LEVEL = 282, ULP = 31 };

static void need(int ok, const char *what) {
  if (ok)
    return;
  perror(what);
  exit(1);
}

static void connected(int pair[2]) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof at;
  int door = socket(AF_INET, SOCK_STREAM, 0);
  need(bind(door, (struct sockaddr *)&at, len) == 0 && listen(door, 1) == 0, "listen");
  need(getsockname(door, (struct sockaddr *)&at, &len) == 0, "getsockname");
  pair[0] = socket(AF_INET, SOCK_STREAM, 0);
  need(connect(pair[0], (struct sockaddr *)&at, len) == 0, "connect");
  pair[1] = accept(door, NULL, NULL);
  need(pair[1] >= 0, "accept");
  close(door);
  for (int i = 0; i < 2; i++)
    need(setsockopt(pair[i], IPPROTO_TCP, ULP, "tls", 4) == 0, "TCP_ULP");
}

static void key(int fd, int direction) {
  struct tls12_crypto_info_aes_gcm_128 k = {.info = {TLS_1_3_VERSION, TLS_CIPHER_AES_GCM_128}};
  memset(k.key, 7, sizeof k.key);
  memset(k.iv, 8, sizeof k.iv);
  memset(k.salt, 9, sizeof k.salt);
  need(setsockopt(fd, SOL_TLS_LEVEL, direction, &k, sizeof k) == 0, "key");
}

/* Records of many lengths. */
static void transfer(const int pair[2], const char *name) {
  static unsigned char sent[BYTES], got[BYTES];
  for (int i = 0; i < BYTES; i++)
    sent[i] = (unsigned char)(i * 31 + i / 1000);
  memset(got, 0, sizeof got);
  pid_t child = fork();
  if (child == 0) {
    for (int at = 0, n; at < BYTES; at += n) {
      n = 1 + (at * 7 + 13) % 40000;
      n = send(pair[0], sent + at, n < BYTES - at ? n : BYTES - at, 0);
      if (n <= 0)
        _exit(1);
    }
    _exit(0);
  }
  for (int at = 0, n; at < BYTES; at += n) {
    n = recv(pair[1], got + at, BYTES - at, 0);
    need(n > 0, "recv");
  }
  int status;
  need(waitpid(child, &status, 0) == child && status == 0, "send");
  printf("RIJN user ktls-%s %s\n", name, memcmp(sent, got, BYTES) == 0 ? "passed" : "failed");
}

int main(void) {
  int one[2], two[2];
  connected(one);
  connected(two);
  key(one[0], TLS_TX);
  key(two[1], TLS_RX);
  need(system("insmod /rijn.ko") == 0, "insmod");
  key(one[1], TLS_RX);
  key(two[0], TLS_TX);
  transfer(one, "received");
  transfer(two, "sent");
  fflush(stdout);
  /* A line of each driver of gcm(aes) that is in use: "gcm-aes-rijn-SET 3", by its count of references. */
  return system("awk '/^driver/ { d = $3 } /^refcnt/ && d ~ /gcm-aes-rijn/ && d !~ /rfc/ && $3 > 1 { print \"RIJN user "
                "gcm-driver \" d, \"passed\" }' /proc/crypto");
}
