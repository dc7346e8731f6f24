package dev.millrace.telemetry.tool;

import java.io.IOException;
import java.util.List;

/** What {@link Top} shows of the telemetry. A view is used by one thread at a time. */
public interface View extends AutoCloseable {
  /**
   * Reads the current state.
   *
   * @param rows the most lines to return, or 0 for any number
   * @return the lines, without escapes
   * @throws IOException if the file is damaged
   */
  List<String> look(int rows) throws IOException;

  /** Frees what the view needs for reading. The reader, which the view does not own, stays open. */
  @Override
  void close();
}
