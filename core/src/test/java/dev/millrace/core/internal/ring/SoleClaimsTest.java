package dev.millrace.core.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Sequence;
import dev.millrace.testkit.Throws;
import org.junit.jupiter.api.Test;

/**
 * Finds a sole producer that claims past the consumer, notes a claim that it has not got, or gets
 * one after the end.
 */
class SoleClaimsTest {
  private final Sequence head = new Sequence();
  private final SoleClaims claims = new SoleClaims(4, head);

  private void publish() {
    claims.next(claims.end());
  }

  @Test
  void tryClaim_whenConsumerMoves_claimsAsMuchMore() {
    assertThat(claims.tryClaim(4)).isZero();
    publish();
    assertThat(claims.tryClaim(1)).isEqualTo(Ring.NONE);
    assertThat(claims.end()).as("nothing is noted").isEqualTo(4);
    head.setRelease(2);
    assertThat(claims.tryClaim(3)).as("all or nothing").isEqualTo(Ring.NONE);
    assertThat(claims.tryClaimUpTo(3, 1)).isEqualTo(2);
    assertThat(claims.end()).isEqualTo(6);
    claims.abort();
    assertThat(claims.end()).isEqualTo(4);
    assertThat(claims.tryClaim(2)).isEqualTo(4);
  }

  @Test
  void tryClaimUpTo_claimsWholeUnitsAlone() {
    assertThat(claims.tryClaimUpTo(6, 3)).isEqualTo(3);
    publish();
    assertThat(claims.tryClaimUpTo(6, 3)).isEqualTo(Ring.NONE);
    assertThat(claims.end()).as("nothing is noted").isEqualTo(3);
    head.setRelease(2);
    assertThat(claims.tryClaimUpTo(3, 3)).isEqualTo(3);
  }

  @Test
  void tryClaim_whenClosed_claimsNothingWhateverTheConsumerDoes() {
    assertThat(claims.tryClaim(1)).isZero();
    publish();
    assertThat(claims.isClosed()).isFalse();
    claims.close();
    head.setRelease(1);
    assertThat(claims.tryClaim(1)).isEqualTo(Ring.CLOSED);
    assertThat(claims.tryClaimUpTo(1, 1)).isEqualTo(Ring.CLOSED);
    assertThat(claims.endSeen()).isEqualTo(1);
    assertThat(claims.isClosed()).isTrue();
    claims.closeOwn();
    assertThat(claims.isClosed()).isTrue();
  }

  @Test
  void tryClaim_withoutConsumers_isRefusedAndNotesNothing() {
    SoleClaims alone = new SoleClaims(4);
    Throws.illegalState("no consumer yet...", () -> alone.tryClaim(1));
    assertThat(alone.end()).isZero();
    alone.gateOn(head);
    assertThat(alone.tryClaim(1)).isZero();
  }
}
