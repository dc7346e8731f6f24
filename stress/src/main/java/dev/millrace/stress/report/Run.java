package dev.millrace.stress.report;

import dev.millrace.core.Sequence;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.queues.QueueOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * When, on what and of which code results were obtained; it stands in a file beside theirs.
 *
 * @param finished when they were written, an ISO instant in UTC
 * @param jdk the Java runtime's version
 * @param system the operating system's name
 * @param architecture the processor's
 * @param processors how many the JVM could use
 * @param code a digest of the published modules' classes
 * @param seconds how long the whole run took, or null if nobody measured it
 */
public record Run(
    String finished,
    String jdk,
    String system,
    String architecture,
    int processors,
    String code,
    Double seconds) {

  private static final int DIGITS = 12;

  /**
   * A run that ends now, in this JVM.
   *
   * @param seconds how long it took, or null
   * @return the run
   */
  public static Run endingNow(Double seconds) {
    return new Run(
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        Runtime.version().toString(),
        System.getProperty("os.name"),
        System.getProperty("os.arch"),
        Runtime.getRuntime().availableProcessors(),
        digestOfCode(),
        seconds);
  }

  /**
   * Tells one state of the code under test from another, so that a report never shows what was
   * found on classes that have changed since as if it were said of these.
   *
   * @return the first digits of a SHA-256
   */
  public static String digestOfCode() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Class<?> member : List.of(Sequence.class, Flyweight.class, QueueOptions.class)) {
        Path origin = Path.of(member.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(origin)) {
          update(digest, origin);
        } else {
          try (FileSystem jar = FileSystems.newFileSystem(origin)) {
            update(digest, jar.getPath("/"));
          }
        }
      }
      return HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS);
    } catch (IOException e) {
      throw new UncheckedIOException("the classes under test must be readable", e);
    } catch (NoSuchAlgorithmException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void update(MessageDigest digest, Path root) throws IOException {
    List<Path> classes;
    try (Stream<Path> files = Files.walk(root)) {
      // The module's descriptor is compiled twice, in two formats, and decides nothing here.
      classes =
          files
              .filter(file -> file.toString().endsWith(".class"))
              .filter(file -> !file.endsWith("module-info.class"))
              .sorted((a, b) -> name(root, a).compareTo(name(root, b)))
              .toList();
    }
    for (Path file : classes) {
      digest.update(name(root, file).getBytes(StandardCharsets.UTF_8));
      digest.update(Files.readAllBytes(file));
    }
  }

  private static String name(Path root, Path file) {
    return root.relativize(file).toString().replace('\\', '/');
  }
}
