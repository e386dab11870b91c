# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The Spark job of `tables`: writes rows of 16 KiB into an Iceberg table, encrypted or not, and reads it again and again."""
import argparse
import json

from executors import cpu_seconds
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

ROW = 16384


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--key", default="")
    parser.add_argument("--mib", type=int, required=True)
    parser.add_argument("--reads", type=int, required=True)
    args = parser.parse_args()
    spark = SparkSession.builder.appName("tables").config("spark.ui.enabled", "false").getOrCreate()
    # WHY version 3: Iceberg's encryption is of that version. WHY no lock: this metastore has one user.
    properties = {"format-version": "3", "write.parquet.compression-codec": "uncompressed", "engine.hive.lock-enabled": "false"}
    if args.key:
        properties["encryption.key-id"] = args.key
    said = ", ".join(f"'{name}'='{value}'" for name, value in properties.items())
    spark.sql("CREATE NAMESPACE demo.db")
    spark.sql(f"CREATE TABLE demo.db.blobs (id BIGINT, blob BINARY) USING iceberg TBLPROPERTIES ({said})")
    line = F.sha2(F.col("id").cast("string"), 512)
    rows = args.mib * 1024 * 1024 // ROW
    frame = spark.range(0, rows, 1, 4).select("id", F.encode(F.repeat(line, ROW // 128), "utf-8").alias("blob"))
    cpu = []
    before = cpu_seconds(spark.sparkContext.applicationId)
    build.writeTo("demo.db.blobs").append()
    cpu.append(cpu_seconds(spark.sparkContext.applicationId) - before)
    for _ in range(args.reads):
        before = cpu_seconds(spark.sparkContext.applicationId)
        sums = spark.table("demo.db.blobs").agg(F.sum(F.length("blob")), F.bit_xor(F.crc32("blob"))).collect()[0]
        cpu.append(cpu_seconds(spark.sparkContext.applicationId) - before)
    cipher = spark.sparkContext._jvm.javax.crypto.Cipher.getInstance("AES/GCM/NoPadding").getProvider().getName()
    print("RESULT " + json.dumps({"cpu": cpu, "checksum": f"{sums[0]}-{sums[1]:08x}", "cipher": cipher}))
    spark.stop()


main()
