"""Engines that the machine may have, each skipped with a reason where it has not."""

import os
import shutil
import socket
import subprocess
import tempfile
import warnings
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def ibis():
    return pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")


@pytest.fixture(scope="session")
def spark(ibis, tmp_path_factory):
    """Spark in local mode, on one core, reached through Ibis."""
    if shutil.which("java") is None:
        pytest.skip("no Java, which Spark needs")
    sql = pytest.importorskip("pyspark.sql", reason="the extra 'spark' is not installed")
    folder = tmp_path_factory.mktemp("spark")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = (
            sql.SparkSession.builder.master("local[1]")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.memory", "1g")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
            .config("spark.driver.extraJavaOptions", f"-Dderby.system.home={folder}")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")
        yield ibis.pyspark.connect(session)
        session.stop()


@pytest.fixture(scope="session")
def postgres(ibis):
    """A PostgreSQL server of our own on the loopback, with an empty database."""
    pytest.importorskip("psycopg", reason="the extra 'ibis' lacks its PostgreSQL driver")
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs or os.name != "posix":
        pytest.skip("no PostgreSQL server in /usr/lib/postgresql")
    # A server refuses to run as root; Debian's package brings a user for it.
    root = os.getuid() == 0
    if root and shutil.which("runuser") is None:
        pytest.skip("no runuser, and PostgreSQL does not run as root")
    as_user = ["runuser", "-u", "postgres", "--"] if root else []
    folder = Path(tempfile.mkdtemp(prefix="evenhand-postgres-"))
    if root:
        shutil.chown(folder, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(program, *options):
        command = [*as_user, str(programs[-1] / program), *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)  # noqa: S603

    data = str(folder / "data")
    run("initdb", "-D", data, "-U", "evenhand", "--auth=trust", "--no-sync", "-E", "UTF8")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
    try:
        connection = ibis.postgres.connect(
            host="127.0.0.1", port=port, user="evenhand", database="postgres"
        )
        yield connection
        connection.disconnect()
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder)
