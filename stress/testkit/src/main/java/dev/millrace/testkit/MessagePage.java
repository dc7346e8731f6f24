package dev.millrace.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.regex.Pattern;

/**
 * All messages of exceptions that {@link Throws} has seen, side by side in {@code
 * target/messages.txt} of the module under test, so that a person can read them from top to bottom
 * and find those that speak differently of the same mistake. Of messages that differ in their
 * values alone it has one.
 */
final class MessagePage {
  private static final int MOST_CHARACTERS = 200;
  private static final Path TARGET = Path.of("target");
  private static final Pattern VALUE =
      Pattern.compile("=[^,}\\])]*|\\d+|\\[[^\\]]*\\]|(?<=[.$/])\\w+|[A-Z]\\w*Queue");

  /** Each message by what is left of it without values. */
  private static final ConcurrentNavigableMap<String, String> LINES = new ConcurrentSkipListMap<>();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(MessagePage::write, "messages"));
  }

  private MessagePage() {}

  static void note(Throwable thrown) {
    String message = String.valueOf(thrown.getMessage());
    String line = message.replaceAll("\\p{Cntrl}", " ");
    String text = line.substring(0, Math.min(MOST_CHARACTERS, line.length()));
    String type = "   [" + thrown.getClass().getSimpleName() + "]";
    String _ = LINES.putIfAbsent(VALUE.matcher(text).replaceAll("_") + type, text + type);
  }

  private static void write() {
    if (!Files.isDirectory(TARGET)) {
      return; // not in the directory of a module
    }
    try {
      Files.write(TARGET.resolve("messages.txt"), LINES.values());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
