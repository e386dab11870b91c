# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What the examples share: the virtual machine's list of providers, and where the jars are."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.abspath(os.path.join(HERE, "../../../build/java"))
WORK = os.path.join(OUT, "examples")
NAMES = {
    "SunJCE": None,
    "ACCP": "com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider",
    "Rijn": "Rijn",
}


def one(pattern, hint):
    found = [f for f in glob.glob(pattern) if not re.search(r"-(sources|javadoc)\.jar$", f)]
    if not found:
        sys.exit(f"{pattern} is not there: {hint}")
    return found[0]


def rijn_jar():
    return one(os.path.join(OUT, "target/rijn-jca-*.jar"), "make java builds it")


def accp_jar():
    return one(os.path.join(OUT, "test-libraries/AmazonCorretto*.jar"), "make java fetches it")


def refuse_existing(path):
    """WHY: an example deletes its data at the end, and what was there before may be somebody's."""
    if os.path.lexists(path):
        sys.exit(f"{path} is there already, and an example deletes its data: name a path that is free")


def java_home():
    java = subprocess.run(["java", "-XshowSettings:properties", "-version"], capture_output=True, text=True, check=True)
    return re.search(r"java\.home = (.*)", java.stderr).group(1).strip()


def security_properties(provider):
    """A file for -Djava.security.properties: the JDK's own list, with that provider before it."""
    with open(os.path.join(java_home(), "conf/security/java.security"), encoding="utf-8") as f:
        own = re.findall(r"^security\.provider\.\d+=(.*)$", f.read(), re.M)
    first = NAMES[provider]
    names = ([first] if first else []) + own
    os.makedirs(WORK, exist_ok=True)
    path = os.path.join(WORK, provider + ".security")
    with open(path, "w", encoding="utf-8") as f:
        for i, name in enumerate(names, 1):
            f.write(f"security.provider.{i}={name}\n")
    return path


def spark_submit(venv):
    return one(os.path.join(WORK, venv, "bin/spark-submit"), "bindings/java/examples/setup installs it")


def spark_jars():
    return one(os.path.join(WORK, "venv/lib/python*/site-packages/pyspark/jars"), "bindings/java/examples/setup installs them")


def compile_java(source, classpath, target):
    os.makedirs(target, exist_ok=True)
    subprocess.run(["javac", "-cp", classpath, "-d", target, os.path.join(HERE, source)], check=True)
    return target


def make_jar(source, classpath, name):
    """WORK/NAME.jar of one source."""
    classes = compile_java(source, classpath, os.path.join(WORK, name))
    subprocess.run(["jar", "cf", os.path.join(WORK, name + ".jar"), "-C", classes, "."], check=True)


def spark(provider, job, settings, arguments, jars=(), executor_options="", venv="venv"):
    """What a job on two executors in virtual machines of their own says in its line RESULT; the provider is the one named."""
    path = os.pathsep.join([*jars, rijn_jar(), accp_jar()])
    security = "-Djava.security.properties=" + security_properties(provider)
    command = [spark_submit(venv), "--master", "local-cluster[2,1,1024]"]
    for where, options in (("driver", ""), ("executor", executor_options)):
        command += ["--conf", f"spark.{where}.extraClassPath={path}"]
        command += ["--conf", f"spark.{where}.extraJavaOptions={security} {options}"]
    for setting in settings:
        command += ["--conf", setting]
    # WHY no SPARK_HOME: another Spark of this machine is not meant.
    env = {k: v for k, v in os.environ.items() if k != "SPARK_HOME"}
    env["JAVA_HOME"] = java_home()
    env["PYSPARK_PYTHON"] = os.path.join(WORK, venv, "bin/python")
    env["PATH"] = os.path.join(WORK, venv, "bin") + os.pathsep + env["PATH"]
    done = subprocess.run([*command, os.path.join(HERE, job), *arguments], capture_output=True, text=True, env=env, cwd=WORK)
    found = re.search(r"^RESULT (.*)$", done.stdout, re.M)
    if done.returncode != 0 or not found:
        sys.exit(done.stdout[-3000:] + done.stderr[-5000:])
    result = json.loads(found.group(1))
    if result["cipher"] != {"ACCP": "AmazonCorrettoCryptoProvider"}.get(provider, provider):
        sys.exit(f"{provider} was to encrypt, it is {result['cipher']}")
    return result


def cipher_share(folder):
    """Of JFR's samples of running Java code and of native ciphers: how many had a Cipher's call on their stack."""
    ciphers = others = 0
    for recording in glob.glob(os.path.join(folder, "*.jfr")):
        done = subprocess.run(
            ["jfr", "print", "--stack-depth", "40", "--events", "jdk.ExecutionSample,jdk.NativeMethodSample", recording],
            capture_output=True, text=True)
        if done.returncode != 0:  # its executor was stopped while it wrote; the line says how many samples there are
            continue
        for sample in done.stdout.split("\n}\n"):
            in_cipher = "javax.crypto.Cipher." in sample
            if in_cipher:
                ciphers += 1
            elif "jdk.ExecutionSample" in sample:  # other native calls wait
                others += 1
    return ciphers / max(1, ciphers + others), ciphers + others


def profiled(provider, job, settings, arguments, jars, venv="venv"):
    """What `spark` gives back, and of its executors what `cipher_share` does."""
    recordings = os.path.join(WORK, "jfr")
    shutil.rmtree(recordings, ignore_errors=True)
    os.makedirs(recordings)
    recording = f"-XX:StartFlightRecording=settings=profile,dumponexit=true,filename={recordings}"
    return spark(provider, job, settings, arguments, jars, recording, venv), cipher_share(recordings)
