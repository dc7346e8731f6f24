package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cache.OffHeapCache;
import dev.millrace.core.Sequence;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.micrometer.MeasuredMetrics;
import dev.millrace.queues.SpscQueue;
import dev.millrace.telemetry.Counter;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Finds a change of the API of which the file {@code api.txt} of its module says nothing. {@code
 * .ci/renew-api} writes these files anew.
 */
class ApiTest {
  /** A member of each published module, by the module's folder. */
  private static final Map<String, Class<?>> MEMBERS =
      new TreeMap<>(
          Map.of(
              "core", Sequence.class,
              "flyweight", Flyweight.class,
              "queues", SpscQueue.class,
              "queues/cache", OffHeapCache.class,
              "disruptor", Sequencer.class,
              "telemetry", Counter.class,
              "telemetry/micrometer", MeasuredMetrics.class));

  static final Set<String> FOLDERS = MEMBERS.keySet();

  @TempDir private Path scratch;

  @ParameterizedTest
  @FieldSource("FOLDERS")
  void api_ofModule_isAsDescribed(String folder) throws Exception {
    List<ModuleReference> modules = new ArrayList<>();
    for (Class<?> member : MEMBERS.values()) {
      modules.add(moduleOf(member));
    }
    ApiDescription description = new ApiDescription(modules, getClass().getClassLoader());
    Path described = Path.of("..", folder, "api.txt");
    Path found = scratch.resolve("api.txt");
    Files.write(found, description.linesOf(moduleOf(MEMBERS.get(folder))));

    if (Boolean.getBoolean("api.renew")) {
      Files.move(found, described, StandardCopyOption.REPLACE_EXISTING);
      return;
    }
    assertThat(found)
        .as(
            "%s/api.txt describes another API than the sources have: if the change is meant, run"
                + " .ci/renew-api, and say in CHANGELOG.md what users have to change",
            folder)
        .hasSameTextualContentAs(described);
  }

  private static ModuleReference moduleOf(Class<?> member) throws Exception {
    Path classes = Path.of(member.getProtectionDomain().getCodeSource().getLocation().toURI());
    return ModuleFinder.of(classes).findAll().iterator().next();
  }

  // ---- what a description shows ----

  private static final String EXPORTED =
      """
      package app;
      public class Feed<T> extends app.hidden.Base<T> {
        public static final int LIMIT = 8;
        public int poll(String from, long... most) throws java.io.IOException { return 0; }
        protected void opened() {}
        void unseen() {}
      }
      """;

  private static final String HIDDEN =
      """
      package app.hidden;
      public abstract class Base<T> implements Comparable<Base<T>> {
        public T last() { return null; }
        public int compareTo(Base<T> other) { return 0; }
      }
      """;

  @Test
  void description_hasAllThatCallersCanSee() throws Exception {
    assertThat(describe(EXPORTED, HIDDEN))
        .containsExactly(
            "module app",
            "  exports app",
            "",
            "public class app.Feed<T> extends Comparable<app.hidden.Base<T>>",
            "  protected void opened()",
            "  public Feed()",
            "  public T last()",
            "  public int compareTo(app.hidden.Base<T>)",
            "  public int poll(String, long...) throws java.io.IOException",
            "  public static final int LIMIT = 8");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "public int poll| private int poll", // removed
        "String from|CharSequence from",
        "public int poll|public long poll",
        "int poll|static int poll",
        "int poll|final int poll",
        "long... most|long[] most",
        "throws java.io.IOException|throws Exception",
        "LIMIT = 8|LIMIT = 9",
        "public class|public final class",
        "Feed<T>|Feed<T extends Number>",
        "protected void opened|void opened",
        "public T last|T last", // inherited from a type that is not exported
        "implements Comparable|implements java.io.Serializable, Comparable",
      })
  void change_ofWhatCallersCanSee_changesTheDescription(String before, String after)
      throws Exception {
    List<String> described = describe(EXPORTED, HIDDEN);
    String exported = EXPORTED.replace(before, after);
    String hidden = HIDDEN.replace(before, after);
    assertThat(exported + hidden).isNotEqualTo(EXPORTED + HIDDEN);
    assertThat(describe(exported, hidden)).isNotEqualTo(described);
  }

  @Test
  void change_ofWhatCallersCannotSee_doesNotChangeTheDescription() throws Exception {
    assertThat(describe(EXPORTED.replace("unseen", "renamed"), HIDDEN))
        .isEqualTo(describe(EXPORTED, HIDDEN));
  }

  /** Describes a module that exports the package of the first source, but not that of the other. */
  private List<String> describe(String exported, String hidden) throws Exception {
    Path folder = Files.createTempDirectory(scratch, "app");
    Map<String, String> sources =
        Map.of(
            "module-info.java", "module app { exports app; }",
            "app/Feed.java", exported,
            "app/hidden/Base.java", hidden);
    List<String> arguments = new ArrayList<>(List.of("-d", folder.resolve("classes").toString()));
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path file = folder.resolve(source.getKey());
      Files.createDirectories(file.getParent());
      Files.writeString(file, source.getValue());
      arguments.add(file.toString());
    }
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, arguments.toArray(String[]::new)))
        .isZero();
    Path classes = folder.resolve("classes");
    ModuleReference module = ModuleFinder.of(classes).findAll().iterator().next();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      return new ApiDescription(List.of(module), loader).linesOf(module);
    }
  }
}
