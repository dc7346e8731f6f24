package dev.millrace.stress.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds rows of the ledger that outlive the code that they are about, or go stale with a comment.
 */
class DigestsTest {
  private static final String NAME = "dev.millrace.stress.proof.Subject";
  private static final String SOURCE =
      """
      package dev.millrace.stress.proof;

      class Subject {
        private static final String FIELD = new StringBuilder("head").toString();
        private long count;

        long add(long by) {
          if (by < 0) {
            throw new IllegalArgumentException("by must not be negative: by=" + by);
          }
          count += by * 3;
          return count;
        }
      }
      """;

  @TempDir private Path folder;

  @Test
  void digest_ofOtherCommentsLinesAndMessages_isTheSame() throws IOException {
    String digest = digest(SOURCE);

    assertThat(digest(SOURCE.replace("    count +=", "    // why\n\n    count +=")))
        .isEqualTo(digest);
    assertThat(digest(SOURCE.replace("must not be negative", "must be positive")))
        .isEqualTo(digest);
  }

  @Test
  void digest_ofOtherInstructionsConstantsOrNamesOfFields_isAnother() throws IOException {
    String digest = digest(SOURCE);

    assertThat(digest(SOURCE.replace("by < 0", "by <= 0"))).isNotEqualTo(digest);
    assertThat(digest(SOURCE.replace("* 3", "* 5"))).isNotEqualTo(digest);
    assertThat(digest(SOURCE.replace("long count", "volatile long count"))).isNotEqualTo(digest);
    assertThat(digest(SOURCE.replace("\"head\"", "\"tail\""))).isNotEqualTo(digest);
  }

  @Test
  void digest_ofAnAnnotationByWhichAToolGoes_isAnother() throws IOException {
    String annotated =
        SOURCE
            .replace(
                "class Subject",
                """
                @org.openjdk.jcstress.annotations.Outcome(
                    id = "1",
                    expect = org.openjdk.jcstress.annotations.Expect.FORBIDDEN,
                    desc = "one")
                class Subject\
                """)
            .replace("  long add", "@dev.millrace.core.internal.Speculative @Deprecated long add");
    String digest = digest(annotated);

    assertThat(digest(annotated.replace("@Deprecated", ""))).isEqualTo(digest);
    assertThat(digest(annotated.replace("\"one\"", "\"the one\""))).isEqualTo(digest);
    assertThat(digest(annotated.replace("\"1\"", "\"2\""))).isNotEqualTo(digest);
    assertThat(digest(annotated.replaceAll("@dev.*Speculative", ""))).isNotEqualTo(digest);
  }

  @Test
  void digest_ofAClassThatLeadsToAnother_changesWithThat() {
    String user = "dev.millrace.core.internal.ring.Gate";
    String used = "dev.millrace.core.Sequence";
    byte[] other = Code.onDisk().bytes("dev.millrace.flyweight.internal.Checks");
    Digests before = new Digests(Code.onDisk());
    Digests after = new Digests(Code.with(Map.of(used, other)));

    assertThat(before.reached(List.of(user))).contains(used);
    assertThat(after.of(List.of(user))).isNotEqualTo(before.of(List.of(user)));
    assertThat(before.of(List.of(user), "a reason"))
        .isNotEqualTo(before.of(List.of(user), "another"));
  }

  /** Otherwise each change of the report would make the rows of all Lincheck tests stale. */
  @Test
  void digest_ofATestThatWritesResults_leavesTheReportOut() {
    Digests digests = new Digests(Code.onDisk());

    assertThat(digests.reached(List.of("dev.millrace.stress.lincheck.Trial")))
        .contains("dev.millrace.stress.lincheck.LincheckResults")
        .noneMatch(name -> name.startsWith("dev.millrace.stress.report."));
  }

  private String digest(String source) throws IOException {
    Path file = Files.writeString(folder.resolve("Subject.java"), source);
    int exit =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-g", "-d", folder.toString(), file.toString());
    assertThat(exit).isZero();
    byte[] bytes = Files.readAllBytes(folder.resolve(NAME.replace('.', '/') + ".class"));
    return new Digests(Code.with(Map.of(NAME, bytes))).of(List.of(NAME));
  }
}
