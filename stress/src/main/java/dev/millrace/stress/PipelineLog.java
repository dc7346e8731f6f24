package dev.millrace.stress;

import dev.millrace.core.Sequence;
import java.util.Arrays;

/**
 * One worker's part of a {@link PipelineLedger}: the events that it was given, how often it threw
 * on each, and whether it has handled it. Written by its thread; read when that has ended, but for
 * {@link #calls}.
 */
final class PipelineLog {
  private final Sequence calls = new Sequence();
  private long[] sequences = new long[64];
  private int[] numbers = new int[64];
  private byte[] thrown = new byte[64];
  private boolean[] done = new boolean[64];
  private int size;
  private int early; // whether it threw before it looked at an event
  private int starts;
  private int ends;

  /** The worker is given an event, for the first time or again. */
  void given(long sequence, int number) {
    calls.setOpaque(calls.getPlain() + 1); // opaque: for who watches; plain: the worker's own
    if (size > 0 && sequences[size - 1] == sequence && !done[size - 1]) {
      return;
    }
    if (size == numbers.length) {
      sequences = Arrays.copyOf(sequences, 2 * size);
      numbers = Arrays.copyOf(numbers, 2 * size);
      thrown = Arrays.copyOf(thrown, 2 * size);
      done = Arrays.copyOf(done, 2 * size);
    }
    sequences[size] = sequence;
    numbers[size] = number;
    thrown[size] = (byte) early;
    done[size] = false;
    early = 0;
    size++;
  }

  /** The worker throws, with the event in hand. */
  void threw() {
    thrown[size - 1]++;
  }

  /** The worker throws before it has looked at its next event. */
  void threwEarly() {
    early++;
  }

  /** The event in hand is handled. */
  void handled() {
    done[size - 1] = true;
  }

  void started() {
    starts++;
  }

  void ended() {
    ends++;
  }

  /** How often it was called, as seen by any thread. */
  long calls() {
    return calls.getOpaque(); // opaque: a count
  }

  /** How many events it was given. */
  int size() {
    return size;
  }

  long sequence(int index) {
    return sequences[index];
  }

  int number(int index) {
    return numbers[index];
  }

  /** How often it threw on an event. */
  int thrown(int index) {
    return thrown[index];
  }

  boolean isDone(int index) {
    return done[index];
  }

  /** How often it threw on the event in hand. */
  int thrownInHand() {
    return thrown[size - 1];
  }

  /** Whether the next event will be a new one. */
  boolean isBetween(int mostThrown) {
    return early == 0 && (size == 0 || done[size - 1] || thrown[size - 1] >= mostThrown);
  }

  /** How often it threw at all. */
  long thrown() {
    long all = early;
    for (int i = 0; i < size; i++) {
      all += thrown[i];
    }
    return all;
  }

  /** Throws if the handler was not told once that it begins, and once that it ends. */
  void checkLife(String name) {
    Ledger.check("calls of onStart of " + name, starts, 1);
    Ledger.check("calls of onEnd of " + name, ends, 1);
  }

  // ---- what a worker does wrong on purpose ----

  /** As if the last event had not come. */
  void forget() {
    size--;
  }

  /** As if the last two events had come the other way round. */
  void swap() {
    if (size > 1) {
      long sequence = sequences[size - 1];
      int number = numbers[size - 1];
      sequences[size - 1] = sequences[size - 2];
      numbers[size - 1] = numbers[size - 2];
      sequences[size - 2] = sequence;
      numbers[size - 2] = number;
    }
  }
}
