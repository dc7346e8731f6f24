package dev.millrace.ohlcv.input;

/**
 * Where the unit of times that are numbers is not given: the first number tells it, by its size,
 * and all others must be of that size. Asked in the order of the rows.
 */
final class UnitOfFirst {
  private EpochUnit unit;

  /**
   * Checks a time that {@link TimeField#parse} has read.
   *
   * @param told the unit that the number has told, or null: then the time is right
   * @return the nanoseconds, which are never {@link TimeField#TOO_LATE}
   */
  long check(String field, String text, long nanos, EpochUnit told) throws BadRowException {
    if (told == null) {
      return nanos;
    }
    if (unit == null) {
      unit = told;
    }
    if (told == unit && nanos != TimeField.TOO_LATE) {
      return nanos;
    }
    long _ = new TimeField(unit).parse(field, text); // refuses what is too large in that unit
    throw new BadRowException(
        field, "must be in " + unit + " as the first one, or --time-unit be given", text);
  }
}
