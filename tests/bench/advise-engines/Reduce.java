import io.trino.Session;
import io.trino.plugin.memory.MemoryPlugin;
import io.trino.testing.LocalQueryRunner;
import io.trino.testing.MaterializedRow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static io.trino.testing.TestingSession.testSessionBuilder;

/**
 * Runs statements in Trino within one process: each argument is a directory with statements, 0.sql and so on. Rows of the last one go
 * to rows.csv beside them, with a header.
 */
public final class Reduce {
  public static void main(String[] directories) throws Exception {
    Session session = testSessionBuilder().setCatalog("memory").setSchema("default").build();
    for (String directory : directories) {
      try (LocalQueryRunner runner = LocalQueryRunner.create(session)) {
        runner.installPlugin(new MemoryPlugin());
        runner.createCatalog("memory", "memory", Map.of());
        reduce(runner, Path.of(directory));
      }
    }
  }

  private static void reduce(LocalQueryRunner runner, Path directory) throws Exception {
    for (int at = 0; Files.exists(directory.resolve(at + ".sql")); at++) {
      var result = runner.execute(Files.readString(directory.resolve(at + ".sql")));
      if (!Files.exists(directory.resolve((at + 1) + ".sql"))) {
        String header = String.join(",", result.getColumnNames());
        String rows = result.getMaterializedRows().stream().map(Reduce::line).collect(Collectors.joining());
        Files.writeString(directory.resolve("rows.csv"), header + "\n" + rows);
      }
    }
    System.out.println("done");
  }

  private static String line(MaterializedRow row) {
    List<Object> fields = row.getFields();
    return fields.stream().map(field -> field == null ? "" : field.toString()).collect(Collectors.joining(",")) + "\n";
  }
}
