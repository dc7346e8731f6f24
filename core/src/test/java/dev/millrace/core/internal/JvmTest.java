package dev.millrace.core.internal;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.core.Sequence;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Finds a JVM on which {@link Jvm#fenceAll} is no fence for other threads. The simulator takes it
 * for one, so nothing else would notice.
 */
class JvmTest {
  private static final int TIMES = 20;
  private static final int MOST_TIMES = 1_000;
  private static final int STORES = 4_000_000;

  private final Sequence stored = new Sequence();
  private final Sequence looked = new Sequence();

  @Test
  void fenceAll_whenAnotherThreadStoresThenLoads_oneSeesTheOther() throws InterruptedException {
    int overlapping = 0;
    for (int i = 0; i < TIMES; i++) {
      List<Boolean> missed = rounds(Jvm::fenceAll);
      assertFalse(missed.contains(true), "neither thread has seen the other's store");
      overlapping += missed.size();
    }
    assertTrue(overlapping > TIMES, "rounds in which both threads ran: " + overlapping);
  }

  /** Else the test above could not fail. It takes processors that run both threads at once. */
  @Test
  void fullFence_ofOneThreadAlone_isNotEnough() throws InterruptedException {
    assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "one processor");
    for (int i = 0; i < MOST_TIMES; i++) {
      if (rounds(VarHandle::fullFence).contains(true)) {
        return;
      }
    }
    fail("one thread always saw the other's store, though one has no fence");
  }

  /**
   * One thread stores a number and loads the other's, without a fence; the other stores, executes a
   * fence and loads. Returns for each round in which both ran whether neither has seen the other's
   * store.
   */
  private List<Boolean> rounds(Runnable fence) throws InterruptedException {
    stored.setPlain(0);
    looked.setPlain(0);
    long[] seen = new long[STORES + 1];
    Thread frequent =
        new Thread(
            () -> {
              for (int i = 1; i <= STORES; i++) {
                stored.setOpaque(i);
                seen[i] = looked.getOpaque();
              }
            });
    List<Integer> last = new ArrayList<>();
    frequent.start();
    while (last.isEmpty() || last.getLast() < STORES) {
      looked.setOpaque(last.size() + 1);
      fence.run();
      last.add((int) stored.getOpaque());
    }
    frequent.join();
    List<Boolean> missed = new ArrayList<>();
    for (int round = 1; round <= last.size(); round++) {
      int next = last.get(round - 1) + 1; // the first store that was not seen
      if (next > 1 && next <= STORES) {
        missed.add(seen[next] < round);
      }
    }
    return missed;
  }

  @Test
  void canFenceAll_ofAJvmWithItsHandshakes_isTrue() {
    assertTrue(Jvm.canFenceAll("OpenJDK 64-Bit Server VM"));
    assertTrue(Jvm.canFenceAll("Java HotSpot(TM) 64-Bit Server VM"));
    assertFalse(Jvm.canFenceAll("Eclipse OpenJ9 VM"));
    assertFalse(Jvm.canFenceAll("Substrate VM"));
    assertTrue(Jvm.canFenceAll(), "the build runs on a JVM of which nothing is known");
  }
}
