package dev.millrace.ohlcv.load;

import dev.millrace.ohlcv.trace.JobWatch;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM for one run: no engine inherits another's heap, compiled code or profile. It has the
 * options of the JVM that starts it and is told to track native memory. Settings go in and the
 * result comes out by a temporary file.
 */
public final class LoadChild {
  private LoadChild() {}

  /** The work to do and how to show it. */
  private record Task(LoadSettings settings, String telemetry, int columns)
      implements Serializable {}

  /**
   * Runs an engine in a JVM of its own and waits for it.
   *
   * @param telemetry the file in which it tells of its work, or null
   * @param columns how wide the terminal is that shows progress; 0 if there is none
   * @throws IOException if it fails; it has told why on the standard error
   */
  public static LoadResult run(LoadSettings settings, Path telemetry, int columns)
      throws IOException, InterruptedException {
    Path file = Files.createTempFile("ohlcv-load", ".bin");
    try {
      write(file, new Task(settings, telemetry == null ? null : telemetry.toString(), columns));
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
      return (LoadResult) read(file);
    } finally {
      Files.delete(file);
    }
  }

  private static List<String> command(Path file) {
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
    Path file = Path.of(arguments[0]);
    try {
      Task task = (Task) read(file);
      try (LoadProgress progress = new LoadProgress(task.settings, task.columns);
          JobWatch watch = JobWatch.of(task.telemetry == null ? null : Path.of(task.telemetry));
          LoadRun run = new LoadRun(task.settings, progress::show, watch)) {
        write(file, run.run());
      }
    } catch (Exception | OutOfMemoryError e) {
      System.err.println("ohlcv load: " + e);
      System.exit(1);
    }
    System.exit(0); // whatever thread may be left
  }

  private static void write(Path file, Serializable object) throws IOException {
    try (ObjectOutputStream out = new ObjectOutputStream(Files.newOutputStream(file))) {
      out.writeObject(object);
    }
  }

  private static Object read(Path file) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(Files.newInputStream(file))) {
      return in.readObject();
    } catch (ClassNotFoundException e) {
      throw new IOException(e);
    }
  }
}
