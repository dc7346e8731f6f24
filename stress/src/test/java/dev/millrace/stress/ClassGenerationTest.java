package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.internal.ClassGeneration;
import dev.millrace.testkit.OtherJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a part that makes a class at run time although that is switched off, and one that then
 * fails without saying what to use. Nothing here runs in a native image.
 */
class ClassGenerationTest {
  private static final String OFF = "-D" + ClassGeneration.PROPERTY + "=false";

  private static final String REFUSAL =
      ".* refused: java\\.lang\\.UnsupportedOperationException: "
          + "(interface|RecordQueue of|a codec of record) [\\w.$]+ needs a class made at run time, "
          + "which millrace\\.generateClasses=false rules out: (write a class|use an) [^.;]+"
          + "(FlyweightType\\.of\\(PointFlyweight::new\\))?";

  /**
   * A class made at run time, but not by the JDK. Compilers leave lambdas, the concatenation of
   * strings and switches over types to bootstrap methods, which a JVM calls at run time, and
   * GraalVM when it builds an image. Method handles are made of such classes too.
   */
  private static final Pattern GENERATED =
      Pattern.compile(
          "\\] (?!java\\.lang\\.invoke\\.|jdk\\.internal\\.|\\S+\\$\\$(Lambda|StringConcat|TypeSwitch)\\b)(\\S+[/+]0x\\S+|\\S+"
              + " source: __\\S+)");

  @TempDir Path folder;

  @Test
  void partsThatNeedNone_whenSwitchedOff_work() throws Exception {
    List<String> printed = run(CompiledParts.class, OFF);
    assertThat(String.join("\n", printed))
        .isEqualTo(
            """
            SpscQueue: 7MILL
            MpscQueue: 7MILL
            MpmcQueue: 7MILL
            KFifoQueue: 7MILL
            ShardedQueue: 7MILL
            HistoryRing: 1 record, 7MILL
            HistoryRing in a file: 1 record, 7MILL
            MessageQueue.spsc: 7MILL Ada
            MessageQueue.mpsc: 7MILL Ada
            MessageQueue.mpmc: 7MILL Ada
            MessageQueue in a file: 7MILL Ada, 7MILL Ada
            channels: 3 bytes in, 3 out
            MessageLog: 0MILL
            MessageLog, reopened: next 1MILL, last 2MILL
            MessageLog.verify: []
            RecordRing: true, 4950 and 4950
            ObjectRing: true, 4950
            Sequencer: 1 event, 7
            OffHeapCache: true, 1 entry
            OffHeapCache, codecs of the library: true, 3 bytes
            Telemetry: {shared=1, sole=3, striped=2}, gauge 4
            Telemetry of a queue: 0
            trace log: true, 7MILL seen
            MeasuredMetrics: 0.0
            end, native bytes in use: 0\
            """);
    assertThat(generated()).isEmpty();
  }

  @Test
  void factoriesThatTakeAClass_whenSwitchedOff_sayWhatToUse() throws Exception {
    List<String> printed = run(Factories.class, OFF);
    assertThat(printed)
        .hasSizeGreaterThan(30)
        .allSatisfy(line -> assertThat(line).matches(REFUSAL));
    assertThat(generated()).isEmpty();
  }

  /** Else the calls above might fail for another reason, and the classes might be overlooked. */
  @Test
  void factoriesThatTakeAClass_otherwise_makeClasses() throws Exception {
    List<String> printed = run(Factories.class, "-D" + ClassGeneration.PROPERTY + "=true");
    assertThat(printed)
        .hasSizeGreaterThan(30)
        .allSatisfy(line -> assertThat(line).endsWith(Factories.MADE));
    assertThat(generated()).hasSizeGreaterThan(10);
  }

  /**
   * Each place that makes a class asks first: {@code Templates} and {@code ClassWriter} assert it.
   */
  @Test
  void sources_thatMakeClasses_areKnown() throws Exception {
    Pattern making = Pattern.compile("\\.define(Hidden)?Class(WithClassData)?\\(|\\bProxy\\b");
    List<String> found = new ArrayList<>();
    for (String module : PublishedModules.NAMES) {
      for (Path file : PublishedModules.files(Path.of("..", module, "src", "main"), ".java")) {
        if (making.matcher(Files.readString(file)).find()) {
          found.add(file.getFileName().toString().replace(".java", ""));
        }
      }
    }
    assertThat(found)
        .containsExactlyInAnyOrder(
            "ClassWriter", "FlyweightClass", "RecordQueueClasses", "EachEvent", "CounterValues");
  }

  private List<String> run(Class<?> program, String property) throws Exception {
    Path work = Files.createDirectory(folder.resolve("work"));
    Path errors = folder.resolve("errors");
    ProcessBuilder builder = OtherJvm.of(program, work).redirectError(errors.toFile());
    builder.command().addAll(1, List.of("-ea", property, "-Xlog:class+load:file=" + log()));
    Process process = builder.start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed + Files.readString(errors)).isZero();
    return printed.lines().toList();
  }

  private Path log() {
    return folder.resolve("classes");
  }

  private List<String> generated() throws IOException {
    return Files.readAllLines(log()).stream()
        .filter(line -> GENERATED.matcher(line).find())
        .toList();
  }
}
