package dev.millrace.telemetry.tool;

/**
 * The size of the terminal to which the output goes, if it goes to one.
 *
 * @param rows how many lines it shows, or 0 if the output is not a terminal
 * @param columns how many characters a line has, or 0 if the output is not a terminal
 */
public record Terminal(int rows, int columns) {
  /** Stands for a file or a pipe, to which any amount can be written. */
  public static final Terminal NONE = new Terminal(0, 0);

  /**
   * Returns the terminal that the script that started this process has found.
   *
   * @return the terminal, or {@link #NONE}
   */
  public static Terminal ofProcess() {
    int rows = Integer.getInteger("telemetry.rows", 0);
    int columns = Integer.getInteger("telemetry.columns", 0);
    return rows > 0 && columns > 0 ? new Terminal(rows, columns) : NONE;
  }

  /**
   * Returns whether the output is a terminal.
   *
   * @return false for a file or a pipe
   */
  public boolean isThere() {
    return rows > 0;
  }
}
