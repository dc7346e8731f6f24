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
 * Reads a file repeatedly. If a new file appears at the same path, because the service was
 * restarted, it says so and continues with the new file.
 */
public final class Top {
  private static final int OPEN_ATTEMPTS = 10;

  private final Path file;
  private final Duration interval;
  private final long count;
  private final Source source;
  private final Screen screen;

  /** Opens the file that is at the path now. The view owns what it reads from. */
  interface Source {
    View open() throws IOException;
  }

  /** An open file, with a key that distinguishes it from other files. */
  private record Opened(Object key, View view) implements AutoCloseable {
    @Override
    public void close() {
      view.close();
    }
  }

  /** A view that owns its reader. */
  private record Owning(TelemetryReader reader, View view) implements View {
    static Owning open(Path file, Function<TelemetryReader, View> views) throws IOException {
      TelemetryReader reader = TelemetryFiles.open(file);
      return new Owning(reader, views.apply(reader));
    }

    @Override
    public List<String> look(int rows) throws IOException {
      return view.look(rows);
    }

    @Override
    public void close() {
      view.close();
      reader.close();
    }
  }

  /**
   * Makes an object that has read nothing yet.
   *
   * @param file the path of a telemetry file
   * @param interval the time between two reads
   * @param count how often to read the file, or 0 for no limit
   * @param views makes a view of a reader, once for each file that appears at the path
   * @param screen shows the lines
   */
  public Top(
      Path file,
      Duration interval,
      long count,
      Function<TelemetryReader, View> views,
      Screen screen) {
    this(file, interval, count, () -> Owning.open(file, views), screen);
  }

  /** Makes one that reads any kind of file. */
  Top(Path file, Duration interval, long count, Source source, Screen screen) {
    this.file = file;
    this.interval = interval;
    this.count = count;
    this.source = source;
    this.screen = screen;
  }

  /**
   * Reads and shows the file as often as requested.
   *
   * @param sleep sleeps for the interval, and returns true to end the loop
   * @throws IOException if the file is rejected or damaged, or nothing can be written
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
      View view = source.open();
      if (key != null && key.equals(keyOrNull())) {
        return new Opened(key, view);
      }
      view.close(); // the file was just replaced, so the key may belong to either file
    }
    throw new IOException(file + ": must not be replaced again and again");
  }

  /** Returns the file now at the path if it is a different and complete one, or null otherwise. */
  private Opened replacement(Opened opened) {
    Object key = keyOrNull();
    if (key == null || key.equals(opened.key)) {
      return null;
    }
    try {
      return open();
    } catch (IOException e) {
      return null; // incomplete or of another kind: keep the previous one
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
