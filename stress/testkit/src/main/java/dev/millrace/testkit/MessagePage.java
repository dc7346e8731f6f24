package dev.millrace.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * All messages of exceptions that {@link Throws} has seen, side by side in {@code
 * target/messages.txt} of the module under test, so that a person can read them from top to bottom
 * and find those that speak differently of the same mistake.
 */
final class MessagePage {
  private static final int MOST_CHARACTERS = 200;
  private static final Path TARGET = Path.of("target");
  private static final NavigableSet<String> LINES = new ConcurrentSkipListSet<>();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(MessagePage::write, "messages"));
  }

  private MessagePage() {}

  static void note(Throwable thrown) {
    String message = String.valueOf(thrown.getMessage());
    String line = message.replaceAll("\\p{Cntrl}", " ");
    LINES.add(
        line.substring(0, Math.min(MOST_CHARACTERS, line.length()))
            + "   ["
            + thrown.getClass().getSimpleName()
            + "]");
  }

  private static void write() {
    if (!Files.isDirectory(TARGET)) {
      return; // not in the directory of a module
    }
    try {
      Files.write(TARGET.resolve("messages.txt"), LINES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
