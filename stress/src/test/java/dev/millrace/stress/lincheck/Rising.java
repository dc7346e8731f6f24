package dev.millrace.stress.lincheck;

import org.jetbrains.lincheck.datastructures.ParameterGenerator;
import org.jetbrains.lincheck.datastructures.RandomProvider;

/** Values that occur once in a scenario, so that a record that is read tells who wrote it. */
public final class Rising implements ParameterGenerator<Long> {
  private long last;

  /**
   * Made by Lincheck.
   *
   * @param random is not needed
   * @param configuration is not needed
   */
  @SuppressWarnings("unused") // Lincheck asks for this constructor
  public Rising(RandomProvider random, String configuration) {}

  @Override
  public Long generate() {
    return ++last;
  }

  @Override
  public void reset() {
    last = 0;
  }
}
