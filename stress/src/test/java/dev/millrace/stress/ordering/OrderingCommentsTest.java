package dev.millrace.stress.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Finds an ordering access of the published modules that does not say what it pairs with, or why
 * its mode suffices.
 *
 * <p>An ordering access is a call of a {@link java.lang.invoke.VarHandle} or of one of its fences,
 * of an access method of {@code Sequence} or of an atomic class, and an access of a volatile field:
 * taken from the compiled classes, so that none is overlooked. Its comment is made of the {@code
 * //} comments directly above its statement and on the statement's lines; several accesses of one
 * statement share it. It must contain a clause for the access's mode:
 *
 * <ul>
 *   <li>plain: {@code plain: reason}; opaque: {@code opaque: reason};
 *   <li>acquire: {@code acquire A}, release: {@code release A}, with the letter of a pair, or of
 *       several ({@code acquire A, C}), and perhaps {@code : what is seen or published};
 *   <li>fences: {@code fence A}; {@code acquire A} or {@code release A} for those of one half;
 *   <li>volatile: {@code acquire A}, {@code release A} or both, as far as the access reads or
 *       writes, or {@code volatile: reason};
 *   <li>updates of a weaker mode: as above, or {@code atomic: reason} where it is only needed that
 *       they are one step, and the mode is the least that Java has for that.
 * </ul>
 *
 * <p>Each letter that a comment uses, also after {@code pairs with}, is in the pair table of the
 * class ({@link PairTable}). Each pair of the table has both its sides: a comment with {@code
 * release} or {@code fence} and one with {@code acquire} or {@code fence} in the class; or else the
 * side names a method of another class ({@code head.getAcquire in Gate.admits}) that has such an
 * access. Methods named in the table ({@code in commit}) exist.
 *
 * <p>Classes whose methods are the modes themselves are exempt, by name: {@link
 * OrderingSources#EXEMPT}.
 */
class OrderingCommentsTest {
  private static final Path ROOT = Path.of("..");

  @Test
  void comments_ofAllOrderingAccesses_sayWhy() throws IOException {
    List<OrderingUnit> units = OrderingSources.read(ROOT);
    List<String> breaches =
        units.stream()
            .filter(unit -> !OrderingSources.EXEMPT.contains(unit.name()))
            .flatMap(unit -> unit.breaches(units).stream())
            .toList();

    assertThat(units).extracting(OrderingUnit::name).contains("Sequence", "Gate", "SpscRing");
    assertThat(breaches).isEmpty();
  }
}
