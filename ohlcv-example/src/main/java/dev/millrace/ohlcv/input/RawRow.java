package dev.millrace.ohlcv.input;

/** A row of its own, so that one thread parses it while another reads on. Used again and again. */
final class RawRow implements Row {
  private final String[] fields;
  private long line;
  private BadRowException problem;
  private int fieldCount;

  /** Makes room for a row of so many columns. */
  RawRow(int width) {
    this.fields = new String[width];
  }

  /** Copies a row. Fields beyond the columns are only counted: such a row is refused. */
  void set(Row row) {
    line = row.line();
    problem = row.problem();
    fieldCount = row.fieldCount();
    for (int column = 0; column < fields.length; column++) {
      fields[column] = row.field(column);
    }
  }

  @Override
  public long line() {
    return line;
  }

  @Override
  public BadRowException problem() {
    return problem;
  }

  @Override
  public int fieldCount() {
    return fieldCount;
  }

  @Override
  public String field(int column) {
    return fields[column];
  }
}
