package dev.millrace.stress.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.stress.PublishedModules;
import dev.millrace.stress.mutation.Mutation;
import dev.millrace.stress.mutation.Mutator;
import dev.millrace.stress.proof.Request.Mode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The proof notices what it must, shown on one small type and a ledger of its own. It alone finds a
 * proof that passes whatever the code and the ledger are.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProofTest {
  private static final String TYPE = "Role";
  private static final String CLASS = "dev.millrace.core.internal.Role";

  /** One for all runs, so that its classes are woven once. */
  private static final Code CODE = Code.onDisk();

  @TempDir static Path folder;

  private Ledger proven;

  @BeforeAll
  void prove() throws Exception {
    proven = Ledger.read(folder);
    Findings findings = run(CODE, proven, Mode.STALE);
    assertThat(findings.errors()).isEmpty();
    proven.write();
  }

  @Test
  void brief_ofTheSameCode_repeatsWhatTheLedgerTells() throws Exception {
    Findings findings = run(CODE, Ledger.read(folder), Mode.BRIEF);

    assertThat(proven.bugs.keys()).isNotEmpty();
    assertThat(proven.scenarios.keys()).isNotEmpty();
    assertThat(findings.errors()).isEmpty();
    assertThat(findings.staleNames()).isEmpty();
  }

  @Test
  void brief_ofAWeakenedOrdering_failsWithItsRowsAndWithout(@TempDir Path empty) throws Exception {
    Code weakened = weakened();

    assertThat(run(weakened, Ledger.read(folder), Mode.BRIEF).errors())
        .anyMatch(error -> error.startsWith(TYPE + "."));
    assertThat(run(weakened, Ledger.read(empty), Mode.BRIEF).errors())
        .anyMatch(error -> error.startsWith(TYPE + "."));
  }

  /** A wrong checksum, a row that catches nothing and a row of a scenario that is gone, at once. */
  @Test
  void brief_ofALedgerThatWasMadeUp_namesEachRow() throws Exception {
    Ledger ledger = Ledger.read(folder);
    List<String> scenarios = List.copyOf(ledger.scenarios.keys());
    Ledger.Scenario wrong = ledger.scenarios.get(scenarios.getFirst());
    Ledger.Scenario renamed = ledger.scenarios.get(scenarios.getLast());
    ledger.scenarios.put(of(wrong, wrong.key(), "0"));
    ledger.scenarios.remove(renamed.key());
    ledger.scenarios.put(of(renamed, TYPE + ".formerName", renamed.at1()));
    Ledger.Bug bug =
        ledger.bugs.keys().stream()
            .map(ledger.bugs::get)
            .filter(row -> row.seed() > 1 && !row.scenario().isEmpty())
            .findFirst()
            .orElseThrow();
    // A bug is searched for from seed 1 on, so those before the one that caught it did not.
    ledger.bugs.put(new Ledger.Bug(bug.key(), bug.scenario(), bug.seed() - 1, bug.run()));

    Findings findings = run(CODE, ledger, Mode.BRIEF);

    assertThat(findings.errors())
        .hasSize(3)
        .anyMatch(error -> error.startsWith(wrong.key() + " came to the checksum"))
        .anyMatch(error -> error.contains(TYPE + ".formerName"))
        .anyMatch(error -> error.contains(bug.key()));
    assertThat(findings.staleNames()).containsExactly(renamed.key());
  }

  @Test
  void stale_ofTheSameCode_hasNothingToDo() throws Exception {
    Ledger ledger = Ledger.read(folder);
    Findings findings = run(CODE, ledger, new Request(Mode.STALE, Set.of(TYPE), true));

    assertThat(findings.plan()).startsWith("nothing would run");
  }

  @Test
  void brief_ofARowOfAnotherJdk_doesNotPassItOffAsCurrent() throws Exception {
    Ledger ledger = Ledger.read(folder);
    Ledger.Scenario row = ledger.scenarios.get(ledger.scenarios.keys().first());
    Ledger.Run earlier = new Ledger.Run(row.run().digest(), "24.0.2", "2026-11-01", 1);
    ledger.scenarios.put(
        new Ledger.Scenario(
            row.key(), row.executions(), 0, false, row.at1(), row.at10(), row.at100(), earlier));
    Request request = new Request(Mode.BRIEF, Set.of(TYPE), false);

    assertThat(Prove.simulate(context(CODE, ledger, request)).scenarios())
        .filteredOn(result -> row.key().equals(TYPE + "." + result.name()))
        .singleElement()
        .extracting(result -> result.depth().doubt())
        .isEqualTo("of another JDK");
  }

  private static Ledger.Scenario of(Ledger.Scenario row, String key, String at1) {
    return new Ledger.Scenario(
        key, row.executions(), 0, row.complete(), at1, row.at10(), row.at100(), row.run());
  }

  private static Findings run(Code code, Ledger ledger, Mode mode) throws Exception {
    return run(code, ledger, new Request(mode, Set.of(TYPE), false));
  }

  private static Findings run(Code code, Ledger ledger, Request request) throws Exception {
    Context context = context(code, ledger, request);
    Prove.simulate(context);
    return context.findings();
  }

  private static Context context(Code code, Ledger ledger, Request request) throws IOException {
    PrintStream silent =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    return Context.of(code, ledger, request, new Progress(silent, () -> {}));
  }

  /** The code with one ordering as it would be if somebody weakened it in the source. */
  private static Code weakened() {
    byte[] bytes = CODE.bytes(CLASS);
    Mutator mutator = PublishedModules.mutator();
    Mutation weakening =
        mutator.mutations(bytes).stream()
            .filter(bug -> bug.operator().startsWith("weaken"))
            .findFirst()
            .orElseThrow();
    return Code.with(Map.of(CLASS, mutator.apply(bytes, weakening)));
  }
}
