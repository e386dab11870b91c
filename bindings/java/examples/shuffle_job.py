# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The Spark job of `shuffle`: rows of 4 KiB go from every task to every task."""
import argparse
import json

from executors import cpu_seconds
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

ROW = 4096

parser = argparse.ArgumentParser()
parser.add_argument("--mib", type=int, required=True)
parser.add_argument("--rounds", type=int, required=True)
args = parser.parse_args()
spark = SparkSession.builder.appName("shuffle").config("spark.ui.enabled", "false").getOrCreate()
rows = args.mib * 1024 * 1024 // ROW
line = F.sha2(F.col("id").cast("string"), 512)
cpu = []
for number in range(args.rounds):
    before = cpu_seconds(spark.sparkContext.applicationId)
    frame = spark.range(0, rows, 1, 4).select("id", F.encode(F.repeat(line, ROW // 128), "utf-8").alias("blob"))
    sums = build.repartition(8, F.col("id") * (number + 3)).agg(F.sum(F.length("blob")), F.bit_xor(F.crc32("blob"))).collect()[0]
    cpu.append(cpu_seconds(spark.sparkContext.applicationId) - before)
cipher = spark.sparkContext._jvm.javax.crypto.Cipher.getInstance("AES/GCM/NoPadding").getProvider().getName()
print("RESULT " + json.dumps({"cpu": cpu, "checksum": f"{sums[0]}-{sums[1]:08x}", "cipher": cipher}))
spark.stop()
