# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The Spark job of `parquet`: writes rows of 16 KiB with Parquet's modular encryption, and reads them again and again."""
import argparse
import json

from executors import cpu_seconds
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

ROW = 16384


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--algorithm", required=True)
    parser.add_argument("--mib", type=int, required=True)
    parser.add_argument("--reads", type=int, required=True)
    parser.add_argument("--folder", required=True)
    args = parser.parse_args()
    spark = SparkSession.builder.appName("parquet").config("spark.ui.enabled", "false").getOrCreate()
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set("parquet.crypto.factory.class", "org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory")
    hadoop.set("parquet.encryption.kms.client.class", "org.rijn.examples.DemoKms")
    hadoop.set("parquet.encryption.algorithm", args.algorithm if args.algorithm != "none" else "AES_GCM_V1")
    rows = args.mib * 1024 * 1024 // ROW
    line = F.sha2(F.col("id").cast("string"), 512)
    frame = spark.range(0, rows, 1, 4).select("id", F.encode(F.repeat(line, ROW // 128), "utf-8").alias("blob"))
    writer = build.write.option("compression", "none").option("parquet.enable.dictionary", "false")
    if args.algorithm != "none":
        writer = writer.option("parquet.encryption.column.keys", "keyA:id,blob").option("parquet.encryption.footer.key", "keyB")
    cpu = []
    before = cpu_seconds(spark.sparkContext.applicationId)
    writer.parquet(args.folder)  # refused where there is one already; `parquet` deletes it
    cpu.append(cpu_seconds(spark.sparkContext.applicationId) - before)
    for _ in range(args.reads):
        before = cpu_seconds(spark.sparkContext.applicationId)
        sums = spark.read.parquet(args.folder).agg(F.sum(F.length("blob")), F.bit_xor(F.crc32("blob"))).collect()[0]
        cpu.append(cpu_seconds(spark.sparkContext.applicationId) - before)
    cipher = spark.sparkContext._jvm.javax.crypto.Cipher.getInstance("AES/GCM/NoPadding").getProvider().getName()
    result = {"cpu": cpu, "checksum": f"{sums[0]}-{sums[1]:08x}", "cipher": cipher}
    print("RESULT " + json.dumps(result))
    spark.stop()


main()
