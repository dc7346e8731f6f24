package dev.millrace.stress.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.stress.PublishedModules;
import dev.millrace.stress.mutation.Mutation;
import dev.millrace.stress.mutation.Mutator;
import dev.millrace.stress.proof.Request.Mode;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The proof notices what it must, shown on one small type and a ledger of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProofTest {
  private static final String TYPE = "Role";
  private static final String CLASS = "dev.millrace.core.internal.Role";

  @TempDir static Path folder;

  private Ledger proven;

  @BeforeAll
  void prove() throws Exception {
    proven = Ledger.read(folder);
    Findings findings = run(Code.onDisk(), proven, Mode.STALE);
    assertThat(findings.errors()).isEmpty();
    proven.write();
  }

  @Test
  void brief_ofTheSameCode_repeatsWhatTheLedgerTells() throws Exception {
    Findings findings = run(Code.onDisk(), Ledger.read(folder), Mode.BRIEF);

    assertThat(proven.bugs()).isNotEmpty();
    assertThat(proven.scenarios()).isNotEmpty();
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

  @Test
  void brief_ofAScenarioWithAWrongChecksum_fails() throws Exception {
    Ledger ledger = Ledger.read(folder);
    Ledger.Scenario row = ledger.scenarios().values().iterator().next();
    ledger.put(
        new Ledger.Scenario(
            row.key(),
            row.executions(),
            row.exhaustive(),
            row.complete(),
            "0",
            row.at10(),
            row.at100(),
            row.digest(),
            row.jdk(),
            row.date(),
            row.seconds()));

    assertThat(run(Code.onDisk(), ledger, Mode.BRIEF).errors())
        .singleElement()
        .asString()
        .startsWith(row.key() + " came to the checksum");
  }

  @Test
  void brief_ofARowThatCatchesNothing_fails() throws Exception {
    Ledger ledger = Ledger.read(folder);
    Ledger.Bug row =
        ledger.bugs().values().stream().filter(bug -> bug.seed() > 1).findFirst().orElseThrow();
    ledger.put(
        new Ledger.Bug(
            row.key(),
            row.scenario(),
            seedThatMisses(row),
            row.digest(),
            row.jdk(),
            row.date(),
            row.seconds()));

    assertThat(run(Code.onDisk(), ledger, Mode.BRIEF).errors())
        .singleElement()
        .asString()
        .contains(row.key());
  }

  /** A bug is searched for from seed 1 on, so those before the one that caught it did not. */
  private static long seedThatMisses(Ledger.Bug row) {
    return row.seed() - 1;
  }

  @Test
  void brief_ofAScenarioThatIsRenamed_namesIt() throws Exception {
    Ledger ledger = Ledger.read(folder);
    Ledger.Scenario row = ledger.scenarios().values().iterator().next();
    ledger.scenarios().remove(row.key());
    ledger.put(
        new Ledger.Scenario(
            TYPE + ".formerName",
            row.executions(),
            row.exhaustive(),
            row.complete(),
            row.at1(),
            row.at10(),
            row.at100(),
            row.digest(),
            row.jdk(),
            row.date(),
            row.seconds()));
    Findings findings = run(Code.onDisk(), ledger, Mode.BRIEF);

    assertThat(findings.errors()).singleElement().asString().contains(TYPE + ".formerName");
    assertThat(findings.staleNames()).containsExactly(row.key());
  }

  @Test
  void stale_ofTheSameCode_hasNothingToDo() throws Exception {
    Ledger ledger = Ledger.read(folder);
    Request dry = new Request(Mode.STALE, Set.of(TYPE), true, "");
    Findings findings = new Findings();
    Prove.simulate(Code.onDisk(), ledger, Exemptions.read(), dry, findings, silent());

    assertThat(findings.plan()).startsWith("nothing would run");
  }

  private static Findings run(Code code, Ledger ledger, Mode mode) throws Exception {
    Findings findings = new Findings();
    Request request = new Request(mode, Set.of(TYPE), false, "");
    Prove.simulate(code, ledger, Exemptions.read(), request, findings, silent());
    return findings;
  }

  private static Progress silent() {
    PrintStream out =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    return new Progress(out, () -> {});
  }

  /** The code with one ordering as it would be if somebody weakened it in the source. */
  private static Code weakened() {
    byte[] bytes = Code.onDisk().bytes(CLASS);
    Mutator mutator = PublishedModules.mutator();
    Mutation weakening =
        mutator.mutations(bytes).stream()
            .filter(bug -> bug.operator().startsWith("weaken"))
            .findFirst()
            .orElseThrow();
    return Code.with(Map.of(CLASS, mutator.apply(bytes, weakening)));
  }
}
