package dev.millrace.stress;

/** An event on the heap. */
final class PipelineObject implements PipelineEvent {
  private final byte[] marks = new byte[PLACES];
  private int number;
  private long mixed;

  @Override
  public void begin(int its) {
    for (int place = 0; place < PLACES; place++) {
      marks[place] = 0;
    }
    number = its;
    mixed = Entry.mix(its);
  }

  @Override
  public int wholeNumber() {
    if (mixed != Entry.mix(number)) {
      throw new AssertionError("torn event: number=" + number + ", mixed=" + mixed);
    }
    return number;
  }

  @Override
  public byte mark(int place) {
    return marks[place];
  }

  @Override
  public void mark(int place, byte value) {
    marks[place] = value;
  }
}
