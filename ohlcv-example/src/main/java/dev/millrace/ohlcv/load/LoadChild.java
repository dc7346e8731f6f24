package dev.millrace.ohlcv.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.ohlcv.output.Bars;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import me.tongfei.progressbar.ProgressBar;

/**
 * A JVM for one run: no engine inherits another's heap, compiled code or profile. It has the
 * options of the JVM that starts it and is told to track native memory. The task goes in and the
 * result comes out as JSON, by a temporary file: the JVM itself may write to the standard output.
 */
public final class LoadChild {
  private static final ObjectMapper JSON = new ObjectMapper();

  private LoadChild() {}

  /** The work to do and how to show it. */
  private record Task(LoadSettings settings, int columns) {}

  /**
   * Runs an engine in a JVM of its own and waits for it.
   *
   * @param columns how wide the terminal is that shows progress; 0 if there is none
   * @throws IOException if it fails; it has told why on the standard error
   */
  public static LoadResult run(LoadSettings settings, int columns)
      throws IOException, InterruptedException {
    File file = Files.createTempFile("ohlcv-load", ".json").toFile();
    try {
      JSON.writeValue(file, new Task(settings, columns));
      Process child = new ProcessBuilder(command(file)).inheritIO().start();
      Runtime.getRuntime().addShutdownHook(new Thread(child::destroy)); // ends with this JVM
      try {
        int code = child.waitFor();
        if (code != 0) {
          throw new IOException(
              settings.engine() + " run has failed: exit code of its JVM=" + code);
        }
      } finally {
        child.destroy(); // if this thread was interrupted
      }
      return JSON.readValue(file, LoadResult.class);
    } finally {
      Files.delete(file.toPath());
    }
  }

  private static List<String> command(File file) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add(HeldMemory.TRACKING);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(LoadChild.class.getName(), file.toString()));
    return command;
  }

  /**
   * The other JVM's beginning.
   *
   * @param arguments the file
   */
  public static void main(String[] arguments) {
    File file = new File(arguments[0]);
    try {
      Task task = JSON.readValue(file, Task.class);
      LoadSettings settings = task.settings;
      int all = settings.warmUpSeconds() + settings.seconds();
      String name = settings.engine().toString();
      try (ProgressBar bar =
              task.columns == 0 ? null : Bars.show(name, all, " s", 1, task.columns);
          LoadRun run = new LoadRun(settings, seconds -> show(bar, seconds))) {
        JSON.writeValue(file, run.run());
      }
    } catch (Exception | OutOfMemoryError e) {
      System.err.println("ohlcv load: " + e);
      System.exit(1);
    }
    System.exit(0); // whatever thread may be left
  }

  private static void show(ProgressBar bar, double seconds) {
    if (bar != null) { // on a terminal only
      bar.stepTo(Math.min((long) seconds, bar.getMax()));
    }
  }
}
