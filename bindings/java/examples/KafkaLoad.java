// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.examples;

import java.io.FileReader;
import java.io.Reader;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.zip.CRC32;
import javax.crypto.Cipher;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends records to a broker and reads them back, again and again. A line a step, so that the caller can take times. */
public final class KafkaLoad {
  private static final int RECORD = 10_000;

  private KafkaLoad() {}

  public static void main(String[] args) throws Exception {
    Properties settings = new Properties();
    try (Reader file = new FileReader(args[0])) {
      settings.load(file);
    }
    long records = Long.parseLong(args[1]) * 1024 * 1024 / RECORD;
    System.out.println(Cipher.getInstance("AES/GCM/NoPadding").getProvider().getName());
    for (int round = 0; round < Integer.parseInt(args[2]); round++) {
      String topic = "load" + round;
      try (Admin admin = Admin.create(settings)) {
        admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
      }
      step("ready");
      send(settings, topic, records);
      step("sent");
      long sum = receive(settings, topic, records);
      step("received");
      try (Admin admin = Admin.create(settings)) {
        admin.deleteTopics(List.of(topic)).all().get();
      }
      System.out.printf("sum %08x%n", sum);
    }
  }

  /** Says the CPU time of this process, and waits for a line: the caller asks the broker's meanwhile. */
  private static void step(String what) throws Exception {
    long nanos =
        ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    System.out.println(what + " " + nanos / 1e9);
    if (System.in.read() < 0) {
      throw new java.io.EOFException("the caller is gone");
    }
  }

  private static void send(Properties settings, String topic, long records) throws Exception {
    byte[] value = new byte[RECORD];
    Future<RecordMetadata> last = null;
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (long i = 0; i < records; i++) {
        for (int at = 0; at < RECORD; at += 100) {
          value[at] = (byte) (i * 31 + at);
        }
        last = producer.send(new ProducerRecord<>(topic, value.clone()));
      }
      producer.flush();
      last.get();
    }
  }

  private static long receive(Properties settings, String topic, long records) {
    CRC32 crc = new CRC32();
    long left = records;
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      while (left > 0) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(10))) {
          crc.update(record.value());
          left--;
        }
      }
    }
    return crc.getValue();
  }
}
