"""Runs reductions of flow logs in Spark.

One job per line of standard input, as JSON with a log, its columns, and statements.
"""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import SparkSession


def session(warehouse: str) -> SparkSession:
    """A session on one machine, without network."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": warehouse,
        # Small logs: compiling each plan takes far longer than running it.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def jobs() -> Iterator[dict]:
    """The jobs."""
    for line in sys.stdin:
        yield json.loads(line)


def main(warehouse: str) -> None:
    """Runs each job and reports its end."""
    spark = session(warehouse)
    spark.sparkContext.setLogLevel("ERROR")
    for job in jobs():
        reader = spark.read.schema(job["schema"]).option("sep", " ").option("nullValue", "-").option("header", "false")
        reader.csv(job["log"]).createOrReplaceTempView(job["table"])
        for table in job["tables"]:
            spark.sql(f"drop table if exists {table}")
            shutil.rmtree(Path(warehouse) / table, ignore_errors=True)
        for statement in job["statements"]:
            spark.sql(statement)
        print("done", flush=True)
    spark.stop()


main(sys.argv[1])
