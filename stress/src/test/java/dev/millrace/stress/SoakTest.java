package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The soaks in short; the long ones are commands, see {@link Soak}. Alone it finds a command that
 * does not see what it is for, and a check that notices nothing: each fault is planted in each soak
 * that it concerns.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD) // a hung test ignores interrupts
class SoakTest {
  private static final int TRIES = 50;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "spsc --capacities 2,64 --records 1000 | records, aborted",
        "mpsc --capacities 64 --records 5000 --stall-every 500 --limit-millis 1 | records,"
            + " aborted, refused",
        "mpmc --capacities 2,4096 --records 2000 --producers 8 --consumers 8 | records, aborted",
        "kfifo --records 5000 | records, aborted, full, empty, most overtakes",
        "records --capacities 1,40 --kinds spsc,mpmc --records 2000 | records, aborted, spilled",
        "messages --capacities 1024 --records 2000 --longest 1000 --stall-every 500"
            + " --limit-millis 1 | records, aborted, refused",
        "stalled --stops 12 --seconds 0.1 --limit-millis 1 | slots for good, late",
        "pipeline --seconds 1 | records, drained, thrown, failed",
        "history --capacities 16 --records 20000 | records, read, lost",
        "trace --capacities 16 --records 20000 | records, read, lost",
        "cache --records 20000 --capacities 1000000 | loaded, not loaded, joined failures,"
            + " too large, iterated, evicted, expired, replaced, removed, moved",
        "all --records 20 --stops 2 --seconds 0.05 --kinds spsc --shapes tiny | records, stored"
      })
  void soak_ofACommand_seesAllThatItIsFor(String command, String positive) {
    List<String> names = List.of(positive.split(", ", -1));
    Soak soak = new Soak();
    // on a busy machine nothing may have stalled, or been overtaken, at the first try
    for (int i = 0; i < TRIES && names.stream().anyMatch(name -> soak.all().get(name) == 0); i++) {
      assertThat(soak.execute((command + " --seed " + i).split(" "))).isZero();
    }
    assertThat(names).allMatch(name -> soak.all().get(name) > 0, "is in " + soak.all());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "spsc --capacities 64 | LOSE REPEAT TEAR POISON LEAK",
        "mpsc --capacities 64 --limit-millis 0 | LOSE REPEAT TEAR POISON",
        "mpmc --capacities 64 --limit-millis 0 | LOSE REPEAT TEAR POISON",
        "kfifo | LOSE REPEAT TEAR POISON",
        "records --capacities 4 | LOSE REPEAT TEAR",
        "messages --capacities 1024 --limit-millis 0 | LOSE REPEAT TEAR POISON SHORTEN OVERDRAW",
        "messages --capacities 1024 --limit-millis 0 --only 1 | MISTIME",
        "messages --capacities 1024 --limit-millis 0 --kinds spsc,mpsc | TAKE_KEPT DROP",
        "stalled --stops 4 --seconds 0.1 --limit-millis 500 | HURRY",
        "pipeline --only 11 | LOSE REPEAT REORDER LAG MISCOUNT", // first a stage by key
        "pipeline --only 25 | LOSE REPEAT REORDER LAG MISCOUNT", // a shared one
        "pipeline --only 33 | LOSE REPEAT REORDER LAG MISCOUNT", // one that sees all
        "history --capacities 65536 | LOSE REPEAT TEAR",
        "trace --capacities 65536 | LOSE REPEAT TEAR",
        "cache --capacities 1000000 --shapes shards | TEAR MIX STALE KEEP"
      })
  void soak_withAFault_noticesIt(String command, String faults) {
    for (String fault : faults.split(" ", -1)) {
      Soak soak = new Soak();
      String limits = command.contains("seconds") ? "" : " --records 5000";
      assertThat(soak.execute((command + limits + " --fault " + fault).split(" "))).isEqualTo(1);
      assertThat(soak.failures.values())
          .as(fault)
          .hasSameSizeAs(soak.rows.values())
          .allSatisfy(its -> assertThat(its).containsPattern(Fault.valueOf(fault).sentence));
    }
  }
}
