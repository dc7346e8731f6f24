package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.TelemetryReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Reads a file repeatedly. It keeps the file that it has opened until there is another one at the
 * same path, because the service was restarted; then it says so and continues with that one.
 */
public final class Top {
  private static final int OPEN_ATTEMPTS = 10;

  private final Path file;
  private final Duration interval;
  private final long count;
  private final Function<TelemetryReader, View> views;
  private final Screen screen;

  /** A file as it was opened, with what tells it from others. */
  private record Opened(Object key, TelemetryReader reader, View view) implements AutoCloseable {
    @Override
    public void close() {
      view.close();
      reader.close();
    }
  }

  /**
   * Looks at nothing yet.
   *
   * @param file made by telemetry
   * @param interval the time between two looks
   * @param count how many looks, 0 for no end
   * @param views makes a view of a reader, one for each file that lies at the place
   * @param screen where
   */
  public Top(
      Path file,
      Duration interval,
      long count,
      Function<TelemetryReader, View> views,
      Screen screen) {
    this.file = file;
    this.interval = interval;
    this.count = count;
    this.views = views;
    this.screen = screen;
  }

  /**
   * Looks, until it has done so often enough.
   *
   * @param sleep sleeps for the interval, and returns true if there is to be no further look
   * @throws IOException if the file is refused or damaged, or nothing can be written
   */
  public void run(Predicate<Duration> sleep) throws IOException {
    Opened opened = open();
    String note = null;
    try {
      for (long looks = 1; true; looks++) {
        List<String> lines = new ArrayList<>();
        if (note != null) {
          lines.add(note);
        }
        lines.addAll(opened.view.look(roomBehind(lines)));
        screen.show(lines);
        if (looks == count || sleep.test(interval)) {
          return;
        }
        Opened next = replacement(opened);
        if (next != null) {
          opened.close();
          opened = next;
          note =
              "replaced at "
                  + Instant.now().truncatedTo(ChronoUnit.SECONDS)
                  + ": this is the new file";
        }
      }
    } finally {
      opened.close();
    }
  }

  private int roomBehind(List<String> lines) {
    return screen.rows() == 0 ? 0 : Math.max(1, screen.rows() - lines.size());
  }

  private Opened open() throws IOException {
    for (int attempt = 1; attempt <= OPEN_ATTEMPTS; attempt++) {
      Object key = keyOrNull();
      TelemetryReader reader = TelemetryFiles.open(file);
      if (key != null && key.equals(keyOrNull())) {
        return new Opened(key, reader, views.apply(reader));
      }
      reader.close(); // it was replaced just now: the key may be either file's
    }
    throw new IOException(file + ": must not be replaced again and again");
  }

  /** The file at the path now, if that is another one and complete; else null. */
  private Opened replacement(Opened opened) {
    Object key = keyOrNull();
    if (key == null || key.equals(opened.key)) {
      return null;
    }
    try {
      return open();
    } catch (IOException e) {
      return null; // is being made, or is none of telemetry: keep to the former
    }
  }

  private Object keyOrNull() {
    try {
      return TelemetryFiles.key(file);
    } catch (IOException e) {
      return null;
    }
  }
}
