package dev.millrace.stress.scenario;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.ring.ClaimWords;
import dev.millrace.core.internal.ring.Claimers;
import dev.millrace.core.internal.ring.GatedClaims;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.StallWatch;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** What producers and consumers do to one slot, without a queue around it. */
@ScenariosOf("SharedClaims")
public final class SharedClaimsScenarios extends Steps {
  private static final long SLOT = 16;
  private static final int ALMOST = 16;
  private static final int LOOKS = 4;

  private static Stamps stamps(int capacity) {
    return Stamps.of(NativeMemory.allocate(capacity * SLOT).segment(), SLOT, capacity);
  }

  private static GatedClaims claims(Stamps stamps, long stallNanos, boolean stampsEach) {
    return new GatedClaims(
        stamps, stamps.capacity(), stallNanos, stampsEach, new Sequence(), new Sequence());
  }

  private static void advance(GatedClaims claims, long sequence, long end) {
    while (!claims.tryAdvance(sequence, end)) {
      // fails for no reason
    }
  }

  /** How many slots a consumer may pass, as it finds them, or {@link Stamps#LOOK_AGAIN}. */
  private static int gapAt(GatedClaims claims, long sequence) {
    return -claims.ready(sequence, 1);
  }

  /** Claimers of whom one announces a claim by a sequence of its own. */
  private record Announcer(Sequence announced) implements Claimers {
    @Override
    public Fate fateOf(long sequence, boolean isMarked) {
      return Fate.LIVE;
    }

    @Override
    public boolean isClaimedAgain(long sequence) {
      return announced.getAcquire() > sequence;
    }

    @Override
    public long patienceNanos() {
      return 1_000;
    }
  }

  @About("who lets go of slots for the dead leaves a later claim alone, though it is given up, too")
  public void laterClaimIsNotLetGo(Simulation run) {
    Stamps stamps = stamps(2);
    Sequence announced = new Sequence(-1);
    GatedClaims claims =
        new GatedClaims(
            stamps,
            stamps.capacity(),
            WaitStrategy.FOREVER,
            ClaimWords.onHeap(),
            new Announcer(announced),
            new Sequence(2),
            new Sequence());
    long ended = stamps.word(0, 1, Stamps.COMMITTED);
    long claimed = stamps.word(2, 1, Stamps.CLAIMED);
    long givenUp = Stamps.changed(claimed, Stamps.ABANDONED);
    stamps.mark(0, ended);
    run.thread("burier", () -> claims.revocation().letGoOf(0));
    run.thread(
        "later claimer",
        () -> announced.setRelease(2),
        () -> run.check(stamps.exchange(0, ended, claimed), "no mark"));
    run.thread("consumer", times(LOOKS, () -> stamps.exchange(0, claimed, givenUp)));
    run.atEnd(
        () -> run.check(Stamps.stateOf(stamps.peek(0)) != Stamps.LET_GO, "let go for another"));
  }

  @About("a consumer that gives up a claim and the producer that ends it: one of them is first")
  public void giveUpMeetsCommit(Simulation run) {
    Stamps stamps = stamps(2);
    GatedClaims claims = claims(stamps, 1_000, false);
    advance(claims, 0, 1);
    run.check(claims.revocable().mark(0, 1, 0), "no mark");
    for (int i = 0; i < ALMOST; i++) {
      run.check(gapAt(claims, 0) == 0, "given up too early");
    }
    boolean[] committed = new boolean[1];
    int[] gap = new int[1];
    run.thread("producer", () -> committed[0] = claims.revocable().end(0, 1, Stamps.COMMITTED));
    for (int c = 0; c < 2; c++) {
      run.thread(
          "consumer " + c,
          () -> {
            for (int i = 0; i < LOOKS; i++) {
              int ready = claims.ready(0, 1);
              if (ready > 0) {
                return;
              }
              if (ready < 0 && ready != Stamps.LOOK_AGAIN) {
                gap[0] = -ready;
              }
            }
          });
    }
    run.atEnd(
        () -> {
          run.check(!committed[0] || gap[0] == 0, "committed, and passed over");
          long state = Stamps.stateOf(stamps.peek(0));
          run.check(
              state == (committed[0] ? Stamps.COMMITTED : Stamps.LET_GO), "in state " + state);
          int lost = committed[0] ? 0 : 1;
          run.check(claims.stalledCount() == lost, "stalled: " + claims.stalledCount());
          run.check(claims.refusedCount() == lost, "refused: " + claims.refusedCount());
          run.check(claims.outOfUseCount() == lost, "out of use: " + claims.outOfUseCount());
        },
        () -> {
          Sequence head = new Sequence(1);
          claims.gateOn(head);
          put(run, claims, head, 1);
          put(run, claims, head, committed[0] ? 2 : 3); // the other is skipped, and back
          if (committed[0]) {
            put(run, claims, head, 3);
          }
          checkKeeps(run, claims, head, 2);
        });
  }

  /** Sends a record that must have a certain sequence, and consumes all. */
  private static void put(Simulation run, GatedClaims claims, Sequence head, long expected) {
    long sequence = claims.tryClaim(1);
    run.check(sequence == expected, "claimed " + sequence + ", not " + expected);
    run.check(claims.revocable().end(sequence, 1, Stamps.COMMITTED), "given up");
    passAll(claims, head);
  }

  private static void passAll(GatedClaims claims, Sequence head) {
    long next = head.getAcquire();
    while (next < claims.end()) {
      int ready = claims.ready(next, 1);
      next += ready == Stamps.LOOK_AGAIN ? 0 : Math.abs(ready);
    }
    head.setRelease(next);
  }

  /** All is in use; if the next claim is given up, its slot and no other is kept out of use. */
  private static void checkKeeps(Simulation run, GatedClaims claims, Sequence head, int capacity) {
    run.check(claims.outOfUseCount() == 0, "out of use: " + claims.outOfUseCount());
    long kept = claims.tryClaim(1);
    run.check(kept == head.getAcquire(), "claimed " + kept);
    while (gapAt(claims, kept) <= 0) {
      // until it is given up
    }
    head.setRelease(kept + 1);
    run.check(claims.outOfUseCount() == 1, "out of use: " + claims.outOfUseCount());
    for (long next = kept + 1; next < kept + 3L * capacity; next++) {
      if ((next - kept) % capacity != 0) {
        put(run, claims, head, next);
      }
    }
    run.check(refuses(() -> claims.tryClaim(capacity)), "claimed what is out of use");
  }

  @About("what was let go is brought back into use once, and what is kept meanwhile is skipped")
  public void broughtBackOnce(Simulation run) {
    int capacity = 4;
    GatedClaims claims = claims(stamps(capacity), 1_000, false);
    Sequence head = new Sequence();
    claims.gateOn(head);
    for (long slot = 0; slot < capacity; slot += 2) {
      run.check(claims.tryClaim(1) == slot, "full though empty");
      while (gapAt(claims, slot) <= 0) {
        // until it is given up
      }
      head.setRelease(slot + 1);
      put(run, claims, head, slot + 1);
    }
    run.check(!claims.revocable().end(0, 1, Stamps.COMMITTED), "committed though given up");
    run.check(claims.tryClaim(1) == 5, "not behind what is out of use");
    run.check(claims.revocable().end(5, 1, Stamps.COMMITTED), "given up");
    int[] gaps = new int[2];
    Numbered pass =
        who -> {
          while (gaps[who] <= 0) {
            int gap = gapAt(claims, 4);
            gaps[who] = gap;
          }
        };
    threads(run, 2, "consumer", pass);
    run.thread(
        "producer",
        () -> run.check(claims.tryClaim(1) == 7, "claimed what is out of use"),
        () -> run.check(claims.revocable().end(7, 1, Stamps.COMMITTED), "given up"));
    run.atEnd(
        () -> run.check(gaps[0] == 1 && gaps[1] == 1, "passed " + gaps[0] + " and " + gaps[1]),
        () -> run.check(!claims.revocable().end(2, 1, Stamps.COMMITTED), "a late commit"),
        () -> passAll(claims, head),
        () -> checkKeeps(run, claims, head, capacity));
  }

  @About("who finds slots freed that were given up finds that claimers must look for them")
  public void freedAreLookedFor(Simulation run) {
    int capacity = 2;
    GatedClaims claims = claims(stamps(capacity), 1_000, false);
    Sequence head = new Sequence();
    claims.gateOn(head);
    run.check(claims.tryClaim(1) == 0, "full though empty");
    run.check(claims.tryClaim(1) == 1, "full though empty");
    run.check(claims.revocable().end(1, 1, Stamps.COMMITTED), "given up");
    for (int i = 0; i < ALMOST; i++) {
      run.check(gapAt(claims, 0) == 0, "given up too early");
    }
    Numbered pass =
        who -> {
          for (int i = 0; i < LOOKS; i++) {
            int gap = gapAt(claims, 0);
            if (gap == 1) {
              head.setRelease(capacity);
              return;
            }
          }
        };
    threads(run, 2, "consumer", pass);
    run.thread(
        "producer",
        () -> {
          long claimed = claims.tryClaim(1);
          run.check(claimed == Ring.NONE || claimed == 3, "claimed " + claimed);
        });
  }

  @About("a claim that is given up before it is marked is none: its slots are passed over")
  public void giveUpMeetsMark(Simulation run) {
    Stamps stamps = stamps(4);
    GatedClaims claims = claims(stamps, 1_000, false);
    advance(claims, 0, 2);
    for (int i = 0; i < ALMOST; i++) {
      run.check(gapAt(claims, 0) == 0, "given up too early");
    }
    boolean[] marked = new boolean[1];
    int[] passed = new int[1];
    run.thread(
        "producer",
        () -> {
          marked[0] = claims.revocable().mark(0, 2, 0);
          if (marked[0]) {
            claims.revocable().end(0, 2, Stamps.ABORTED);
          }
        });
    run.thread(
        "consumer",
        () -> {
          for (int i = 0; i < LOOKS && passed[0] < 2; i++) {
            int gap = gapAt(claims, passed[0]);
            passed[0] += Math.max(0, gap);
          }
        });
    run.atEnd(
        () -> {
          while (passed[0] < 2) {
            int gap = gapAt(claims, passed[0]);
            run.check(gap != 0 || !marked[0], "neither given up nor aborted");
            passed[0] += Math.max(0, gap);
          }
          run.check(passed[0] == 2, "passed " + passed[0]);
          run.check(
              claims.abortedCount() + claims.stalledCount() == 2 || claims.refusedCount() == 2,
              "aborted " + claims.abortedCount() + ", stalled " + claims.stalledCount());
        });
  }

  @About("no claim succeeds behind a close, and what came before the close is seen by who sees it")
  public void closeIsFinal(Simulation run) {
    GatedClaims claims = claims(stamps(4), WaitStrategy.FOREVER, false);
    Flag.Plain before = new Flag.Plain();
    int[] claimed = new int[1];
    long[] end = new long[1];
    run.thread(
        "claimer",
        () -> {
          for (int i = 0; i < 3; i++) {
            long tail = claims.tail();
            if (tail >= 0 && claims.tryAdvance(tail, tail + 1)) {
              claimed[0]++;
            }
          }
          run.check(
              !claims.isClosed() || before.isSet(), "what came before the close was not seen");
        });
    run.thread(
        "closer",
        before::set,
        claims::close,
        () -> run.check(claims.isClosed(), "not closed"),
        () -> end[0] = claims.end());
    run.atEnd(
        () -> run.check(claims.tail() < 0, "opened again"),
        () -> run.check(claims.end() == end[0], "the end has moved from " + end[0]),
        () -> run.check(claimed[0] == end[0], claimed[0] + " claims, but the end is " + end[0]),
        () -> run.check(claims.claimedCount() == end[0], "counted " + claims.claimedCount()));
  }

  @About("slots that must be contiguous are refused where only a row round the end is left")
  public void rowRoundTheEnd(Simulation run) {
    GatedClaims claims = claims(stamps(8), 1_000, false);
    advance(claims, 0, 8);
    for (int slot = 0; slot < 8; slot++) {
      run.check(claims.revocable().mark(slot, 1, 0), "no mark");
      if (slot == 3) {
        while (gapAt(claims, slot) <= 0) {
          // until it is given up
        }
      } else {
        run.check(claims.revocable().end(slot, 1, Stamps.COMMITTED), "given up");
      }
    }
    run.thread(
        "producer",
        () -> claims.revocable().checkLeft(7),
        () -> claims.revocable().checkLeft(4, true),
        () -> run.check(refuses(() -> claims.revocable().checkLeft(5, true)), "goes round"),
        () -> run.check(refuses(() -> claims.revocable().checkLeft(8)), "there is no such row"));
  }

  @About("where not all slots are to be used, producers are told when none of those is left")
  public void noneLeftWithinTheBound(Simulation run) {
    int bound = 2;
    GatedClaims claims =
        new GatedClaims(stamps(4), bound, 1_000, false, new Sequence(), new Sequence());
    advance(claims, 0, bound);
    for (int slot = 0; slot < bound; slot++) {
      run.check(claims.revocable().mark(slot, 1, 0), "no mark");
      if (slot > 0) {
        claims.revocable().checkLeft(1);
      }
      while (gapAt(claims, slot) <= 0) {
        // until it is given up
      }
    }
    run.thread(
        "producer",
        () ->
            run.check(
                refuses(() -> claims.revocable().checkLeft(1)), "stalled producers hold both"));
  }

  @About("counts may be read while they change")
  public void counts(Simulation run) {
    Stamps stamps = stamps(4);
    GatedClaims claims = claims(stamps, 1_000, true);
    advance(claims, 0, 2);
    run.check(claims.revocable().mark(0, 1, 0) && claims.revocable().mark(1, 1, 0), "no mark");
    for (int i = 0; i < ALMOST; i++) {
      run.check(gapAt(claims, 0) == 0, "given up too early");
    }
    run.thread("producer", () -> claims.revocable().end(0, 1, Stamps.ABORTED));
    run.thread("another producer", () -> claims.revocable().end(1, 1, Stamps.ABORTED));
    run.thread(
        "consumer",
        () -> {
          for (int i = 0; i < LOOKS; i++) {
            gapAt(claims, 0);
          }
          while (!claims.revocable().skip(2, 4, 5)) {
            // fails for no reason
          }
        });
    run.thread(
        "sampler",
        () -> run.check(claims.abortedCount() <= 2, "aborted"),
        () -> run.check(claims.refusedCount() <= 1, "refused"),
        () -> run.check(claims.stalledCount() <= 1, "stalled"),
        () -> run.check(claims.outOfUseCount() <= 1, "out of use"),
        () -> run.check(claims.claimedCount() <= 5, "claimed"),
        () -> refuses(() -> claims.revocable().checkLeft(5)));
    run.atEnd(
        () -> run.check(claims.abortedCount() + claims.refusedCount() == 2, "lost a count"),
        () -> run.check(claims.claimedCount() == 2, "claimed " + claims.claimedCount()));
  }

  @About("a watch counts the looks of all who look, and forgets when the sequence changes")
  public void watch(Simulation run) {
    StallWatch watch = new StallWatch(640);
    run.check(StallWatch.lookNanos(640) == 40, "a look is worth " + StallWatch.lookNanos(640));
    int[] looks = new int[2];
    Numbered step =
        who -> {
          boolean stalled = false;
          while (!stalled) {
            stalled = watch.hasStalled(7);
            looks[who]++;
          }
        };
    threads(run, 2, "looker", step);
    run.atEnd(
        () -> {
          run.check(looks[0] + looks[1] > 16, "stalled after " + looks[0] + " and " + looks[1]);
          run.check(!watch.hasStalled(8), "stalled at the first look");
          int again = 1;
          while (!watch.hasStalled(8)) {
            again++;
          }
          run.check(again >= 16, "stalled after " + again);
          run.check(!watch.hasStalled(7), "stalled though anew");
          while (!watch.isDue()) {
            // until the clock moves on
          }
          watch.checkNone();
          run.check(!watch.hasStalled(7), "stalled though there was no claim");
          StallWatch slow = new StallWatch(64_000); // longer than a few looks at the clock take
          run.check(slow.isDue(), "not due at first");
          slow.checkNone();
          boolean isDue = slow.isDue();
          slow.checkNone();
          run.check(!(isDue && slow.isDue()), "due right after a look");
        });
  }

  @About("the rest of a claim that has stalled is found stalled by the next check, and no other is")
  public void restHasStalled(Simulation run) {
    StallWatch watch = new StallWatch(64_000); // longer than a few looks at the clock take
    watch.checkNone();
    run.thread("first", () -> watch.suspect(7));
    run.thread(
        "second", () -> run.check(!watch.hasStalled(8), "stalled though it was never checked"));
    run.atEnd(
        () -> {
          watch.suspect(7);
          run.check(watch.isDue(), "not due though suspected");
          run.check(watch.hasStalled(7), "not stalled though suspected");
          run.check(!watch.hasStalled(8), "stalled though it was not suspected");
        });
  }
}
