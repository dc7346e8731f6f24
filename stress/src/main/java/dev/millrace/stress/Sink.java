package dev.millrace.stress;

import dev.millrace.core.Producer;
import dev.millrace.queues.MpmcProducer;

/** Where a {@link Sender} puts numbered records: a producer's end of any structure. */
interface Sink {
  /**
   * Claims, or notes what is to be done in the end.
   *
   * @param number of the first record; others follow
   * @param limit the longest run
   * @return how many were claimed, 0 if the structure is full
   */
  int claim(Form form, long number, int limit) throws InterruptedException;

  /** Writes a record, from the first to the last of the claim. */
  void write(int index, long number);

  /**
   * Ends the claim. Before it aborts, it writes what no consumer may ever see.
   *
   * @param fault what to do wrong, if that is possible
   * @return false if the commit was refused
   */
  boolean end(boolean commits, Fault fault) throws InterruptedException;

  /** A producer of records. */
  class Of implements Sink {
    private final Producer<Entry> end;
    private int count; // of the open claim

    Of(Producer<Entry> end) {
      this.end = end;
    }

    @Override
    public int claim(Form form, long number, int limit) throws InterruptedException {
      if (form.isOfRun()) {
        count = form.waits() ? end.claim(limit) : end.tryClaim(limit);
      } else {
        Entry claimed =
            switch (form) {
              case WAIT -> end.claim();
              case BRIEF -> end.claim(Form.BRIEFLY);
              case STRICT -> strictClaim();
              default -> end.tryClaim();
            };
        count = claimed == null ? 0 : 1;
      }
      return count;
    }

    private Entry strictClaim() throws InterruptedException {
      return end instanceof MpmcProducer<Entry> mpmc ? mpmc.strictClaim() : end.tryClaim();
    }

    @Override
    public void write(int index, long number) {
      end.at(index).number(number);
    }

    @Override
    public boolean end(boolean commits, Fault fault) {
      for (int i = 0; i < count && (!commits || fault == Fault.POISON); i++) {
        end.at(i).poison();
      }
      if (fault == Fault.TEAR) {
        end.at(0).tear();
      }
      if (commits && fault != Fault.LOSE) {
        end.commit();
      } else {
        end.abort();
      }
      return true;
    }
  }
}
