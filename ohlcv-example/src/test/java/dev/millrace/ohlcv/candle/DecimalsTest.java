package dev.millrace.ohlcv.candle;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Finds a comparison, sum or product that differs from {@link BigDecimal}'s at some pair of scales,
 * and a sum that wraps instead of being refused.
 */
final class DecimalsTest {
  private static final int ROUNDS = 100_000;
  private static final int MAX_BITS = 127;

  @Test
  void compare_ofAnyScales_agreesWithBigDecimal() {
    Random random = new Random(1);
    for (int i = 0; i < ROUNDS; i++) {
      long a = unscaled(random);
      long b = random.nextInt(4) == 0 ? a : unscaled(random);
      int scaleA = random.nextInt(Decimals.MAX_SCALE + 1);
      int scaleB = random.nextInt(Decimals.MAX_SCALE + 1);
      int expected = BigDecimal.valueOf(a, scaleA).compareTo(BigDecimal.valueOf(b, scaleB));
      assertThat(Integer.signum(Decimals.compare(a, scaleA, b, scaleB)))
          .as("%d at %d, %d at %d", a, scaleA, b, scaleB)
          .isEqualTo(expected);
    }
  }

  @Test
  void add_untilItDoesNotFit_agreesWithBigDecimal() {
    Random random = new Random(2);
    int refused = 0;
    for (int i = 0; i < ROUNDS / 20; i++) {
      DecimalSum sum = new DecimalSum();
      BigDecimal exact = BigDecimal.ZERO;
      for (int j = 0; j < 20; j++) {
        long a = unscaled(random);
        long b = unscaled(random);
        int scaleA = random.nextInt(Decimals.MAX_SCALE + 1);
        int scaleB = random.nextInt(Decimals.MAX_SCALE + 1);
        boolean product = random.nextBoolean();
        BigDecimal term = BigDecimal.valueOf(a, scaleA);
        BigDecimal next = exact.add(product ? term.multiply(BigDecimal.valueOf(b, scaleB)) : term);
        boolean fits = next.unscaledValue().bitLength() <= MAX_BITS;
        boolean added = product ? sum.addProduct(a, scaleA, b, scaleB) : sum.add(a, scaleA);
        assertThat(added).isEqualTo(fits);
        exact = fits ? next : exact;
        refused += fits ? 0 : 1;
        assertThat(sum.toBigDecimal()).isEqualTo(Decimals.shortest(exact));
        assertThat(sum.scale()).isEqualTo(exact.scale());
      }
    }
    assertThat(refused).isBetween(1, ROUNDS - 1);
  }

  @Test
  void add_atTheLimit_refusesAndKeepsTheSum() {
    DecimalSum sum = new DecimalSum();
    sum.set(Long.MAX_VALUE, -1L, 0);
    assertThat(sum.add(1, 0)).isFalse();
    assertThat(sum.add(1, 1)).isFalse();
    assertThat(sum.add(0, 0)).isTrue();
    assertThat(sum.toBigDecimal())
        .isEqualTo(new BigDecimal(BigInteger.TWO.pow(MAX_BITS).subtract(BigInteger.ONE)));
  }

  @Test
  void shortest_ofZerosBehindThePoint_dropsThemAndNoOthers() {
    assertThat(Decimals.toBigDecimal(80001000, 5).toPlainString()).isEqualTo("800.01");
    assertThat(Decimals.toBigDecimal(800, 0).toPlainString()).isEqualTo("800");
    assertThat(Decimals.toBigDecimal(0, 12).toPlainString()).isEqualTo("0");
  }

  private static long unscaled(Random random) {
    return random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63);
  }
}
