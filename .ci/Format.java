import com.google.googlejavaformat.java.Formatter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Holds the sources to one format, google-java-format's. Run by the build on the JDK that it
 * selected: {@code check} fails on a file that is not so formatted, {@code write} rewrites it.
 */
final class Format {
  public static void main(String[] args) throws Exception {
    boolean write = args[0].equals("write");
    Path root = Path.of(args[1]);
    long differing =
        sources(root).parallelStream().filter(file -> differs(file, root, write)).count();
    if (differing > 0 && !write) {
      System.err.println(differing + " files; mvn validate -Pformat formats them");
      System.exit(1);
    }
  }

  /** Formats a file, and rewrites or names it if it was formatted otherwise. */
  private static boolean differs(Path file, Path root, boolean write) {
    try {
      String text = Files.readString(file);
      String formatted = new Formatter().formatSourceAndFixImports(text);
      if (formatted.equals(text)) {
        return false;
      }
      if (write) {
        Files.writeString(file, formatted);
      } else {
        System.err.println("not formatted: " + root.relativize(file));
      }
      return true;
    } catch (Exception e) {
      throw new IllegalStateException("source must be formattable: " + root.relativize(file), e);
    }
  }

  private static List<Path> sources(Path root) throws Exception {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !root.relativize(file).toString().matches("(.*[/\\\\])?target[/\\\\].*"))
          .sorted()
          .toList();
    }
  }
}
