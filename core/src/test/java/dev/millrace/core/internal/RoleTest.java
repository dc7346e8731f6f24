package dev.millrace.core.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.testkit.Throws;
import org.junit.jupiter.api.Test;

/**
 * Finds overlapping calls that pass for one after the other, and a call that is blamed because one
 * before it ended in an exception.
 */
class RoleTest {
  @Test
  void end_whenCallsFollowEachOther_isTrue() {
    Role role = new Role("one at a time");
    for (int i = 0; i < 3; i++) {
      assertThat(role.end(role.begin())).isTrue();
    }
  }

  @Test
  void end_whenCallsOverlap_namesTheContract() {
    Role role = new Role("SpscQueue allows one producer at a time");
    long first = role.begin();
    long second = role.begin();
    assertThat(role.end(second)).isTrue();
    Throws.a(
        AssertionError.class,
        "SpscQueue allows one producer at a time: another call overlapped...",
        () -> role.end(first));
  }

  @Test
  void end_whenAnEarlierCallNeverEnded_isTrue() {
    Role role = new Role("one at a time");
    role.begin(); // ended by an exception
    assertThat(role.end(role.begin())).isTrue();
  }
}
