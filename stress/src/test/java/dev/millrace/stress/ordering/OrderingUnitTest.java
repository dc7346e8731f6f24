package dev.millrace.stress.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.stress.mutation.AccessSite;
import dev.millrace.stress.mutation.AccessSite.Family;
import dev.millrace.stress.mutation.AccessSite.Mode;
import dev.millrace.stress.mutation.AccessSite.Operation;
import dev.millrace.stress.ordering.PairTable.Pair;
import java.lang.constant.ClassDesc;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Finds a breach of the rule about comments that {@link OrderingCommentsTest} no longer notices,
 * and a reason or a planted bug that is put down to the wrong access.
 */
class OrderingUnitTest {
  private static final String SOURCE =
      """
      final class Pipe {
        /*
         * An idea.
         *
         * A  tail.setRelease in put,   ->  tail.getAcquire in take  the bytes
         *    or in close                                            of a run
         * B  head.setRelease in take   ->  head.getAcquire in Gate.admits
         *
         * No row: a -> b.
         */
        void put() { // no comment of the statement below
          tail.setRelease(1); // release A: "bytes"; linearizes
          // plain: only the producer
          // writes it
          head.setRelease(
              2); // release B
          url("http://no.comment");
        }
        int take() { return tail.getAcquire(); /* A  x -> y */ } // acquire A
      }
      """;

  private static AccessSite site(int line, String name, Operation operation, Mode mode) {
    ClassDesc type = ClassDesc.of("some.Pipe");
    return new AccessSite(
        type, "put", line, line, Family.ACCESSOR, type, name, operation, mode, "tail." + name);
  }

  private static AccessSite release(int line) {
    return site(line, "setRelease", Operation.WRITE, Mode.RELEASE);
  }

  private static AccessSite acquire(int line) {
    return site(line, "getAcquire", Operation.READ, Mode.ACQUIRE);
  }

  private static OrderingUnit unit(String text, AccessSite... sites) {
    return new OrderingUnit(
        "Pipe", new SourceText(text), List.of(sites), Set.of("put", "take", "close"));
  }

  private static final OrderingUnit GATE =
      new OrderingUnit("Gate", new SourceText(""), List.of(acquire(1)), Set.of("admits"));

  private static List<String> breaches(String text, AccessSite... sites) {
    OrderingUnit unit = unit(text, sites);
    return unit.breaches(List.of(unit, GATE));
  }

  @Test
  void comment_ofAStatement_isAboveItAndOnItsLines() {
    SourceText source = new SourceText(SOURCE);

    assertThat(source.comment(12)).isEqualTo("release A: \"bytes\"; linearizes");
    assertThat(source.comment(15)).isEqualTo("plain: only the producer writes it release B");
    assertThat(source.comment(16)).isEqualTo(source.comment(15));
    assertThat(source.comment(17)).isEmpty();
  }

  @Test
  void pairs_ofATable_haveTheirColumns() {
    assertThat(new PairTable(new SourceText(SOURCE)).pairs())
        .containsExactly(
            new Pair("A", "tail.setRelease in put, or in close", "tail.getAcquire in take"),
            new Pair("B", "head.setRelease in take", "head.getAcquire in Gate.admits"));
  }

  @Test
  void clauses_ofAComment_areToldApart() {
    Reasons reasons =
        new Reasons(
            "linearizes; acquire C, D: the other is through; opaque: a count. pairs with E");

    assertThat(reasons.clauses())
        .extracting(clause -> clause.word() + clause.labels())
        .containsExactly("acquire[C, D]", "opaque[]");
    assertThat(reasons.labels()).containsExactly("C", "D", "E");
    assertThat(new Reasons("acquires Bread, release ABC").clauses()).isEmpty();
  }

  @Test
  void breaches_ofAGoodSource_areNone() {
    assertThat(breaches(SOURCE, release(12), release(16), acquire(19))).isEmpty();
  }

  @Test
  void breaches_withoutAReason_nameThePlace() {
    assertThat(breaches(SOURCE, release(17)))
        .singleElement()
        .asString()
        .startsWith("Pipe.java:17 tail.setRelease must say why");
    assertThat(breaches(SOURCE, acquire(12))).as("a reason for another mode").hasSize(1);
  }

  @Test
  void breaches_ofAPairThatIsNotInTheTable_areFound() {
    assertThat(breaches(SOURCE.replace("// release A:", "// release A, F:"), release(12)))
        .containsExactly("Pipe.java:12 pair must be in the table: pair=F");
  }

  @Test
  void breaches_ofAPairWithOneSide_areFound() {
    assertThat(breaches(SOURCE.replace("// acquire A", "")))
        .containsExactly("Pipe, pair A must have an acquiring access");
    assertThat(breaches(SOURCE.replace("// release B", "")))
        .containsExactly("Pipe, pair B must have a releasing access");
  }

  @Test
  void breaches_ofATableThatNamesWhatIsNotThere_areFound() {
    assertThat(breaches(SOURCE.replace("or in close", "or in shut")))
        .containsExactly("Pipe, pair A must name a method of the class: shut");
    assertThat(breaches(SOURCE.replace("Gate.admits", "Gate.refuses"))).hasSize(1);
    assertThat(breaches(SOURCE.replace("head.getAcquire", "head.getVolatile"))).hasSize(1);
  }
}
