package dev.millrace.queues.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.ring.Claimers.Fate;
import dev.millrace.testkit.Throws;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Finds an entry that is given to two, one that is lost when a burial fails, and garbage in the
 * table that is believed, or makes calls run for ever.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ParticipantsTest {
  private static final int ENTRIES = 6;
  private static final int RESERVED = 2;

  /** Signs of life that are lost by a call. */
  private static final class Signs implements Liveness {
    final BitSet held = new BitSet();
    final BitSet lost = new BitSet();
    boolean hasEnded;

    @Override
    public boolean isAlive(int entry) {
      return held.get(entry) && !lost.get(entry);
    }

    @Override
    public boolean tryHold(int entry) {
      boolean isTaken = isAlive(entry);
      held.set(entry);
      lost.clear(entry);
      return !isTaken;
    }

    @Override
    public void letGo(int entry) {
      held.clear(entry);
    }

    @Override
    public boolean hasEnded(long ticket) {
      return hasEnded;
    }
  }

  private final MemorySegment table =
      Arena.ofAuto().allocate(ENTRIES * FileLayout.ENTRY_BYTES, 128);
  private final Signs signs = new Signs();
  private final List<Integer> burials = new ArrayList<>();
  private final Participants participants = participants((entry, _) -> burials.add(entry));

  private Participants participants(Burial burial) {
    return new Participants(
        table, RESERVED, new ProcessId(17, 1_000, 5, 6, 7, 8), signs, burial, "FILE");
  }

  @Test
  void enter_untilAllAreThere_givesEachAnEntry_andReservesTheFirst() {
    List<Participant> all = new ArrayList<>();
    for (int i = RESERVED; i < ENTRIES; i++) {
      all.add(participants.enter(Role.PRODUCER, "number " + i));
    }
    assertThat(all).extracting(Participant::entry).containsExactly(2, 3, 4, 5);
    Throws.illegalState(
        "no room for another participant: 4 are there, FILE",
        () -> participants.enter(Role.CONSUMER, "last"));
    Participant sole = participants.enterSole(0, Role.PRODUCER, "sole");
    Throws.illegalState(
        "there is a producer already: pid=17, name=\"sole\", started=1970-01-01T00:00:01Z, FILE",
        () -> participants.enterSole(0, Role.PRODUCER, "second"));
    Throws.illegalArgument(
        "entry must be in 0..1: entry=2", () -> participants.enterSole(2, Role.PRODUCER, "none"));
    sole.leave();
    all.get(2).leave();
    assertThat(participants.enter(Role.CONSUMER, "next").entry()).isEqualTo(4);
    assertThat(participants.describe(4)).startsWith("consumer: pid=17, name=\"next\"");
    assertThat(participants.describe(0)).isNull();
    assertThat(burials).isEmpty();
  }

  @Test
  void enter_whenAllAreDead_buriesOne() {
    for (int i = RESERVED; i < ENTRIES; i++) {
      participants.enter(Role.PRODUCER, "doomed");
    }
    signs.lost.set(0, ENTRIES);
    signs.hasEnded = true;
    Participant first = participants.enter(Role.CONSUMER, "first");
    assertThat(first.entry()).isEqualTo(2);
    first.leave();
    Participant next = participants.enter(Role.CONSUMER, "next");
    assertThat(next.entry()).isEqualTo(2);
    assertThat(first.isFenced()).as("whose entry it was before").isTrue();
    Throws.illegalState("participant has left: 2", first::check);
    assertThat(burials).containsExactly(2);
    assertThat(participants.buryDead()).isEqualTo(3);
    assertThat(burials).containsExactly(2, 3, 4, 5);
    assertThat(next.isFenced()).isFalse();
  }

  @Test
  void burial_thatFails_isRunAgain_andTheEntryIsNotUsedMeanwhile() {
    Participant doomed = participants.enterSole(0, Role.CONSUMER, "doomed");
    signs.lost.set(0);
    signs.hasEnded = true;
    Participants failing =
        participants(
            (_, _) -> {
              throw new IllegalStateException("planted");
            });
    Throws.illegalState("planted", failing::buryDead);
    assertThat(signs.held).isEqualTo(new BitSet());
    assertThat(participants((_, _) -> false).buryDead()).isZero();
    assertThat(signs.held).isEqualTo(new BitSet());
    assertThat(doomed.isFenced()).isTrue();
    assertThat(participants.describe(0)).startsWith("consumer, dead: pid=17");
    assertThat(participants.buryDead()).isEqualTo(1);
    assertThat(participants.describe(0)).isNull();
  }

  /** As of a process in another namespace, which cannot be asked for. */
  @Test
  void burial_whileAnotherHoldsTheLockOfTheEntry_isNotBegun() {
    participants.enterSole(0, Role.CONSUMER, "doomed");
    signs.hasEnded = true;
    signs.lost.set(0);
    assertThat(participants((_, _) -> false).buryDead()).isZero();
    signs.tryHold(0);
    assertThat(participants.buryDead()).isZero();
    signs.letGo(0);
    assertThat(participants.buryDead()).isEqualTo(1);
  }

  @Test
  void leave_ofAFencedParticipant_buriesItself_andLeavesTheRestToOthersIfThatFails() {
    Participant doomed = participants((_, _) -> false).enterSole(0, Role.CONSUMER, "doomed");
    assertThat(doomed.declare(3, 5)).isTrue();
    assertThat(participants.fateOf(4, false)).isEqualTo(Fate.LIVE);
    signs.lost.set(0);
    assertThat(participants.fateOf(4, false)).isEqualTo(Fate.FENCED);
    assertThat(participants.fateOf(5, false)).isEqualTo(Fate.UNKNOWN);
    assertThat(doomed.declare(5, 6)).isFalse();
    doomed.leave();
    assertThat(participants.fateOf(5, false)).isEqualTo(Fate.DEAD);
    assertThat(participants.buryDead()).isEqualTo(1);
    assertThat(burials).containsExactly(0);
    assertThat(participants.intent(0)).as("recovered").isEqualTo(-1);
    assertThat(participants.fateOf(5, false)).isEqualTo(Fate.UNKNOWN);
    assertThat(participants.enterSole(0, Role.CONSUMER, "next").isFenced()).isFalse();
    assertThat(participants.fateOf(5, false)).isEqualTo(Fate.UNKNOWN);
  }

  @Test
  void withdraw_takesTheAnnouncementBack() {
    Participant own = participants.enter(Role.PRODUCER, "own");
    assertThat(participants.fateOf(0, false)).as("none yet").isEqualTo(Fate.UNKNOWN);
    assertThat(own.declare(0, 1)).isTrue();
    assertThat(participants.fateOf(0, false)).isEqualTo(Fate.LIVE);
    own.withdraw();
    assertThat(participants.fateOf(0, false)).isEqualTo(Fate.UNKNOWN);
  }

  @Test
  void name_thatIsLongOrUnprintable_isCutAndShownReadably() {
    participants.enterSole(0, Role.CONSUMER, Throws.FLOOD);
    assertThat(participants.describe(0)).hasSizeLessThan(200).doesNotContainPattern("\\p{Cntrl}");
    Throws.readably(() -> participants.enterSole(0, Role.CONSUMER, "second"));
  }

  @Test
  void garbage_inTheTable_isRefusedOrHarmless() {
    Random random = new Random(1);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      for (int i = random.nextInt(8); i >= 0; i--) {
        int entry = random.nextInt(ENTRIES);
        long word = random.nextInt(4) == 0 ? random.nextInt(16) : random.nextInt(4);
        long value = random.nextBoolean() ? random.nextLong() : random.nextInt(-1, 0x200);
        table.set(ValueLayout.JAVA_LONG, entry * FileLayout.ENTRY_BYTES + word * 8, value);
      }
      signs.hasEnded = random.nextBoolean();
      signs.held.clear();
      signs.held.set(0, random.nextInt(ENTRIES));
      try {
        switch (random.nextInt(4)) {
          case 0 -> participants.enter(Role.PRODUCER, "own");
          case 1 -> participants.fateOf(random.nextInt(0x200), random.nextBoolean());
          case 2 -> participants.buryDead();
          default -> participants.describe(random.nextInt(ENTRIES));
        }
      } catch (UncheckedIOException e) {
        refused++;
        assertThat(e.getCause()).hasMessageMatching("FILE: participant \\d is damaged: state=0x.*");
        table.fill((byte) 0);
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageStartingWith("no room for another participant");
      }
    }
    assertThat(refused).isBetween(2_000, 18_000);
  }

  @Test
  void garbage_inAReservedEntry_isRefusedAtOnce() {
    for (long state : new long[] {4, 0x3F, 0x40, 0x80, 0xC0, 0x41, -1}) {
      table.set(ValueLayout.JAVA_LONG, FileLayout.STATE, state);
      Throws.a(
          UncheckedIOException.class,
          "...FILE: participant 0 is damaged: state=0x" + Long.toHexString(state),
          () -> participants.enterSole(0, Role.PRODUCER, "own"),
          () -> participants.fateOf(0, false),
          () -> participants.describe(0),
          participants::buryDead);
    }
  }
}
