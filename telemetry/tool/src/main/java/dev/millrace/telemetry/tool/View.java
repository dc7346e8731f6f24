package dev.millrace.telemetry.tool;

import java.io.IOException;
import java.util.List;

/** What {@link Top} shows of telemetry. Used by one thread at a time. */
public interface View extends AutoCloseable {
  /**
   * Looks now.
   *
   * @param rows how many lines at most, 0 for any
   * @return the lines, without escapes
   * @throws IOException if the file is damaged
   */
  List<String> look(int rows) throws IOException;

  /** Frees what it reads with; the reader, which is another's, stays open. */
  @Override
  void close();
}
