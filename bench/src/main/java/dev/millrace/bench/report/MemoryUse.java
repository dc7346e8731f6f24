package dev.millrace.bench.report;

/**
 * What memory a contender's queue takes.
 *
 * @param contender the contender's name
 * @param title its title
 * @param capacity the queue's
 * @param emptyBytes heap, when nothing is in it
 * @param fullBytes heap, when nothing more fits
 * @param offHeapBytes memory off the heap
 */
public record MemoryUse(
    String contender,
    String title,
    int capacity,
    long emptyBytes,
    long fullBytes,
    long offHeapBytes) {
  /**
   * All of it, when nothing more fits.
   *
   * @return bytes per slot
   */
  public String perSlot() {
    return Amounts.small((double) (fullBytes + offHeapBytes) / capacity);
  }
}
