package dev.millrace.bench.harness;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A JVM of its own for a part of the work. What is to be done goes in, and its result comes out, as
 * JSON.
 */
public final class Child {
  /** A system property of this JVM: flags, separated by spaces, that every JVM gets as well. */
  private static final String MORE_FLAGS = "bench.flags";

  /**
   * What every JVM gets. Native access, Unsafe and the opened package are for peers that use what
   * the JDK has closed off.
   */
  public static final List<String> FLAGS =
      Stream.concat(
              Stream.of(
                  "-Xms1g",
                  "-Xmx1g",
                  "-XX:+AlwaysPreTouch",
                  "--enable-native-access=ALL-UNNAMED",
                  "--sun-misc-unsafe-memory-access=allow",
                  "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"),
              Stream.of(System.getProperty(MORE_FLAGS, "").split(" ")))
          .filter(flag -> !flag.isEmpty())
          .toList();

  /** What Chronicle's own build gives each JVM from Java 17 on, in addition to {@link #FLAGS}. */
  public static final List<String> CHRONICLE_FLAGS =
      Stream.concat(
              Stream.of(
                      "java.base/jdk.internal.misc",
                      "java.base/jdk.internal.ref",
                      "java.base/jdk.internal.util",
                      "java.base/sun.nio.ch",
                      "jdk.compiler/com.sun.tools.javac.file",
                      "jdk.unsupported/sun.misc")
                  .map(one -> "--add-exports=" + one + "=ALL-UNNAMED"),
              Stream.of(
                      "java.base/java.io",
                      "java.base/java.lang",
                      "java.base/java.lang.reflect",
                      "java.base/java.util",
                      "jdk.compiler/com.sun.tools.javac")
                  .map(one -> "--add-opens=" + one + "=ALL-UNNAMED"))
          .toList();

  /** How long one may take whose work takes seconds, where other builds run on the machine. */
  public static final long MOST_SECONDS = 300;

  private static final ObjectMapper JSON = new ObjectMapper();

  private Child() {}

  /**
   * What a JVM does: a record of one component at least, or nothing could be written.
   *
   * @param <T> what it finds
   */
  @FunctionalInterface
  public interface Job<T> {
    /** Does it. */
    T run() throws Exception;
  }

  /**
   * Does a job in a JVM of its own.
   *
   * @param flags beside those of all
   * @param result the class of what it finds
   * @throws IOException if it does not end in time, or fails: the message says what it told
   */
  public static <T> T run(Job<T> job, List<String> flags, long seconds, Class<T> result)
      throws IOException, InterruptedException {
    String[] arguments = {job.getClass().getName(), JSON.writeValueAsString(job)};
    List<String> command = command(flags, Child.class, arguments);
    File out = Files.createTempFile("millrace", ".json").toFile();
    File err = Files.createTempFile("millrace", ".err").toFile();
    try {
      Process process = new ProcessBuilder(command).redirectOutput(out).redirectError(err).start();
      if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        throw new IOException("no end within " + seconds + " s");
      }
      if (process.exitValue() != 0) {
        throw new IOException(Files.readString(err.toPath(), StandardCharsets.UTF_8).strip());
      }
      return JSON.readValue(lastLine(out), result);
    } finally {
      Files.delete(out.toPath());
      Files.delete(err.toPath());
    }
  }

  /** What starts a JVM with the classes of this one. */
  public static List<String> command(List<String> flags, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * The other JVM's beginning.
   *
   * @param args the job's class, and the job
   * @throws Exception if the job fails
   */
  public static void main(String[] args) throws Exception {
    Job<?> job = (Job<?>) JSON.readValue(args[1], Class.forName(args[0]));
    System.out.println(JSON.writeValueAsString(job.run()));
    System.exit(0); // whatever thread may be left
  }

  /** Libraries may print something before. */
  private static String lastLine(File out) throws IOException {
    List<String> lines = Files.readAllLines(out.toPath());
    return lines.isEmpty() ? "" : lines.getLast();
  }
}
