package dev.millrace.telemetry.tool;

/**
 * What the output is.
 *
 * @param rows how many lines it shows, 0 if it is no terminal
 * @param columns how many characters a line has, 0 if it is no terminal
 */
public record Terminal(int rows, int columns) {
  /** A file or a pipe: as much as one likes is written to it. */
  public static final Terminal NONE = new Terminal(0, 0);

  /**
   * What the script that starts this process has found.
   *
   * @return the terminal, or {@link #NONE}
   */
  public static Terminal ofProcess() {
    int rows = Integer.getInteger("telemetry.rows", 0);
    int columns = Integer.getInteger("telemetry.columns", 0);
    return rows > 0 && columns > 0 ? new Terminal(rows, columns) : NONE;
  }

  /**
   * Whether it is one.
   *
   * @return false for a file or a pipe
   */
  public boolean isThere() {
    return rows > 0;
  }
}
