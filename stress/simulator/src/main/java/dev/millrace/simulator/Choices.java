package dev.millrace.simulator;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Who decides what the memory model and the scheduler leave open; 0 is always the tame choice. */
abstract class Choices {
  /** Which of some threads goes on, the one that ran before not being able to. */
  abstract int turn(int count);

  /** Whether the current thread may lose its turn now; else {@link #preemption} is not asked. */
  abstract boolean mayPreempt(boolean given);

  /**
   * Whether the current thread goes on, which is 0, or which of the others.
   *
   * @param others how many, at least one
   * @param given whether the current one gives its turn away
   */
  abstract int preemption(int others, boolean given);

  /** Which message is read, or written behind: 0 is the newest. */
  abstract int message(int count);

  /** Whether something happens that may but seldom does, as a wake-up without a reason. */
  abstract boolean seldom();

  /** Whether the current thread, which may die, does so now. */
  abstract boolean dies();

  /** Decides by chance; the same seed gives the same execution. */
  static final class ByChance extends Choices {
    private static final double[] SWITCH = {0.5, 0.25, 0.1, 0.05};
    private static final double[] STALE = {0.4, 0.2, 0.05};
    private static final double GIVE_AWAY = 0.9;
    private static final double SELDOM = 0.02;
    private static final double DEATH = 0.04;

    private final SplittableRandom random;
    private final double switching;
    private final double stale;

    ByChance(long seed) {
      random = new SplittableRandom(seed);
      // Some bugs need many switches, some long runs of one thread: each execution has its own
      // mood.
      switching = SWITCH[random.nextInt(SWITCH.length)];
      stale = STALE[random.nextInt(STALE.length)];
    }

    @Override
    int turn(int count) {
      return random.nextInt(count);
    }

    @Override
    boolean mayPreempt(boolean given) {
      return random.nextDouble() < (given ? GIVE_AWAY : switching);
    }

    @Override
    int preemption(int others, boolean given) {
      return 1 + random.nextInt(others);
    }

    @Override
    int message(int count) {
      int choice = 0;
      while (choice < count - 1 && random.nextDouble() < stale) {
        choice++;
      }
      return choice;
    }

    @Override
    boolean seldom() {
      return random.nextDouble() < SELDOM;
    }

    @Override
    boolean dies() {
      return random.nextDouble() < DEATH;
    }
  }

  /** Goes through all decisions depth first, within bounds. */
  static final class DepthFirst extends Choices {
    private final int preemptionBound;
    private final int staleBound;
    private int[] taken = new int[64];
    private int[] counts = new int[64];
    private int depth;
    private int next;
    private int preemptions;
    private int stale;

    DepthFirst(int preemptionBound, int staleBound) {
      this.preemptionBound = preemptionBound;
      this.staleBound = staleBound;
    }

    /** Moves on to the next execution; false if there is none. */
    boolean advance() {
      rewind();
      while (depth > 0 && taken[depth - 1] + 1 == counts[depth - 1]) {
        depth--;
      }
      if (depth == 0) {
        return false;
      }
      taken[depth - 1]++;
      return true;
    }

    /** Goes back to the beginning of the present execution. */
    void rewind() {
      next = 0;
      preemptions = 0;
      stale = 0;
    }

    @Override
    int turn(int count) {
      return take(count);
    }

    @Override
    boolean mayPreempt(boolean given) {
      return given || preemptions < preemptionBound;
    }

    @Override
    int preemption(int others, boolean given) {
      if (given) {
        return 1 + take(others); // giving it to itself would never end
      }
      int choice = take(others + 1);
      preemptions += choice > 0 ? 1 : 0;
      return choice;
    }

    @Override
    int message(int count) {
      int choice = stale < staleBound ? take(count) : 0;
      stale += choice > 0 ? 1 : 0;
      return choice;
    }

    @Override
    boolean seldom() {
      return false;
    }

    @Override
    boolean dies() {
      return take(2) == 1;
    }

    private int take(int count) {
      if (count == 1) {
        return 0;
      }
      if (next == depth) {
        if (depth == taken.length) {
          taken = Arrays.copyOf(taken, 2 * depth);
          counts = Arrays.copyOf(counts, 2 * depth);
        }
        taken[depth] = 0;
        counts[depth] = count;
        depth++;
      } else if (counts[next] != count) {
        throw new IllegalStateException(
            "scenario must do the same each time: choice "
                + next
                + " of "
                + counts[next]
                + " became one of "
                + count);
      }
      return taken[next++];
    }
  }
}
