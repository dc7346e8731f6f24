package dev.millrace.stress.lincheck;

import dev.millrace.queues.log.MessageLog;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A {@link MessageLog} has every message that was committed, whole, once and in order, for each of
 * its readers; and its ends are never ahead of what they find.
 *
 * <p>The log is in memory and without its thread, so segments are made by the claim that needs
 * them; each holds two messages. What it asks of a file system and of a disk is left to the crash
 * model.
 *
 * <p><b>Hazard.</b> A message is published before it is written; a reader does not find the next
 * segment, or leaves one too early; an end is raised before the message is there; a sync calls
 * durable what was appended meanwhile.
 *
 * <p><b>Known to fail.</b> {@link LogOperations#appendCommittedFirst}, two producers, and two
 * threads with one reader; in the log itself a commit that publishes the word before the number and
 * the time, one that raises the end before it publishes the word, and a reader that goes to the
 * next segment when it sees the seal, without reading once more what is before it.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all MessageLogLincheckTest}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class MessageLogLincheckTest {
  private static final Mix APPENDS = Mix.ofOne("append", "appendShortened", "abort");
  private static final Mix READS = Mix.ofOne("pollLeft").and(Mix.ofOne("pollRight"));
  private static final Mix ENDS =
      Mix.ofOne("append").and(Mix.ofAny("end", "durable", "sync")).and(Mix.ofOne("endFound"));

  private static Trial trial(Mix mix, String about) {
    return Trial.of(MessageLog.class, LogOperations.class, about)
        .mixing(mix)
        .allowedBy(LogAllows.class)
        .withLocks();
  }

  private static Trial reads() {
    return trial(APPENDS.and(READS), "each reader gets all messages in order, across segments");
  }

  private static Trial ends() {
    return trial(ENDS.and(Mix.ofOne("pollLeft")), "no end is ahead of what can be read");
  }

  private static Trial planted(Mix mix, String bug) {
    return modelChecked(trial(mix, "planted: " + bug), 30);
  }

  private static Trial modelChecked(Trial trial, int iterations) {
    return trial
        .modelChecking(iterations, 500)
        .inOneStep(MessageLogLincheckTest::holdsFiles)
        .inOneStep(MessageLogLincheckTest::opensFiles, "firsts", "openIfThere", "open", "begin");
  }

  /** The files of a log in memory, each operation a step; and paths, in what is said of damage. */
  private static boolean holdsFiles(String className) {
    return className.startsWith("dev.millrace.stress.trial.SmallLog")
        || className.equals("dev.millrace.queues.log.LogDamage");
  }

  /** Makes and opens files that no other thread changes meanwhile, by hundreds of accesses. */
  private static boolean opensFiles(String className) {
    return className.equals("dev.millrace.queues.log.LogSegment")
        || className.equals("dev.millrace.queues.log.SegmentNames");
  }

  @Test
  void reads_whenModelChecked_getAllInOrder(TestInfo test) {
    modelChecked(reads().threads(2, 3), 10).passes(test);
  }

  @Test
  void ends_whenModelChecked_areReached(TestInfo test) {
    modelChecked(ends().threads(2, 3), 10).passes(test);
  }

  @Test
  void append_whenCommittedFirst_isCaught(TestInfo test) {
    planted(Mix.ofOne("appendCommittedFirst").and(READS), "commit before the fields are written")
        .isCaught(test);
  }

  @Test
  void append_whenTwoProduce_isCaught(TestInfo test) {
    planted(Mix.ofAny("append").and(READS), "two producers at a time").isCaught(test);
  }

  @Test
  void poll_whenTwoReadByOne_isCaught(TestInfo test) {
    planted(Mix.ofOne("append").and(Mix.ofAny("pollLeft")), "two threads with one reader")
        .isCaught(test);
  }
}
