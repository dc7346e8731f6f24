package dev.millrace.stress.scenario;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.SoleClaims;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** How far one producer may claim, and that closing stops it. */
@ScenariosOf("SoleClaims")
public final class SoleClaimsScenarios extends Steps {
  /** Claims and publishes a number of slots; returns the result of the claim. */
  private static long claim(SoleClaims claims, int count) {
    long answer = claims.tryClaim(count);
    claims.next(claims.end());
    return answer;
  }

  @About("claims get as far as slots are free, and what is free was left by the consumer")
  public void admits(Simulation run) {
    Sequence head = new Sequence();
    SoleClaims claims = new SoleClaims(2, head);
    Flag.Plain slot = new Flag.Plain();
    run.thread("consumer", slot::isSet, () -> head.setRelease(1));
    run.thread(
        "producer",
        () -> {
          run.check(claim(claims, 2) == 0, "refused though free");
          if (claim(claims, 1) == 2) {
            slot.set();
          } else {
            run.check(claims.tryClaimUpTo(2, 1) <= 1, "claimed what was never freed");
            claims.abort();
          }
          run.check(claim(claims, 2) == Ring.NONE, "claimed though never freed");
        });
    run.atEnd(
        () -> run.check(claims.end() == 3 || claim(claims, 1) == 2, "refused though free"),
        () -> run.check(claim(claims, 1) == Ring.NONE, "claimed though never freed"));
  }

  @About("closed claims stay closed, whatever the producer does at the same time")
  public void closes(Simulation run) {
    Sequence head = new Sequence();
    SoleClaims claims = new SoleClaims(2, head);
    Flag.Plain before = new Flag.Plain();
    run.thread("consumer", () -> head.setRelease(1));
    run.thread(
        "producer",
        () -> {
          claims.tryClaim(3);
          claims.abort();
          if (claims.isClosed()) {
            run.check(before.isSet(), "what came before the close was not seen");
            run.check(claims.tryClaim(1) == Ring.CLOSED, "claimed though closed");
          }
        });
    run.thread(
        "closer", before::set, claims::close, () -> run.check(claims.isClosed(), "not closed"));
    run.atEnd(
        () -> run.check(claims.isClosed(), "opened again"),
        () -> run.check(claims.tryClaim(1) == Ring.CLOSED, "claimed though closed"),
        () -> run.check(claims.tryClaimUpTo(3, 1) == Ring.CLOSED, "claimed though closed"));
  }

  @About("a close sees each claim of the producer, or the claim sees the close")
  public void closeMeetsClaim(Simulation run) {
    SoleClaims claims = new SoleClaims(2, new Sequence());
    Flag.Plain before = new Flag.Plain();
    long[] claimed = new long[1];
    long[] end = new long[1];
    run.thread(
        "producer",
        () -> {
          while (claimed[0] < 3 && claim(claims, 1) == claimed[0]) {
            claimed[0]++;
          }
          run.check(
              !claims.isClosed() || before.isSet(), "what came before the close was not seen");
        },
        () -> {
          boolean isClosed = claims.isClosed();
          long answer = claims.tryClaim(3);
          run.check(
              answer == Ring.CLOSED || (answer == Ring.NONE && !isClosed), "answer " + answer);
        });
    run.thread("closer", before::set, claims::close, () -> end[0] = claims.endSeen());
    run.atEnd(
        () -> run.check(claims.isClosed(), "not closed"),
        () -> run.check(claims.endSeen() == claimed[0], "not taken back"),
        () -> run.check(end[0] >= claimed[0], "a claim was not seen, up to " + end[0]));
  }

  @About("a close sees each claim of a run, or the claim sees the close")
  public void closeMeetsRun(Simulation run) {
    SoleClaims claims = new SoleClaims(4, new Sequence());
    long[] claimed = new long[1];
    long[] end = new long[1];
    run.thread(
        "producer",
        () -> {
          for (int i = 0; i < 2; i++) {
            long count = claims.tryClaimUpTo(4, 2);
            claimed[0] += Math.max(0, count);
            claims.next(claims.end());
          }
        });
    run.thread("closer", claims::close, () -> end[0] = claims.endSeen());
    run.atEnd(
        () -> run.check(claims.endSeen() == claimed[0], "not taken back"),
        () -> run.check(end[0] >= claimed[0], "a claim was not seen, up to " + end[0]));
  }

  @About(
      "the producer closes for good; a thread that sees it closed sees what the producer did"
          + " before")
  public void closesOwn(Simulation run) {
    SoleClaims claims = new SoleClaims(2, new Sequence());
    Flag.Plain before = new Flag.Plain();
    run.thread(
        "producer",
        () -> run.check(claim(claims, 1) == 0, "refused though free"),
        before::set,
        claims::closeOwn,
        () -> run.check(claim(claims, 1) == Ring.CLOSED, "claimed though closed"));
    run.thread(
        "observer",
        () -> {
          if (claims.isClosed()) {
            run.check(before.isSet(), "what came before the close was not seen");
            run.check(claims.endSeen() == 1, "the end was not seen");
          }
        });
  }

  @About("a claim that finds no room changes nothing that others see")
  public void full(Simulation run) {
    SoleClaims claims = new SoleClaims(2, new Sequence());
    run.thread(
        "producer",
        () -> run.check(claim(claims, 2) == 0, "no room at first"),
        () -> run.check(claims.tryClaim(1) == Ring.NONE, "room for a third"),
        () -> run.check(claims.tryClaimUpTo(2, 1) == Ring.NONE, "room for a third"));
    run.thread("observer", () -> run.check(claims.endSeen() <= 2, "sees a claim that failed"));
  }
}
