package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cache.OffHeapCache;
import dev.millrace.core.Sequence;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.micrometer.MeasuredMetrics;
import dev.millrace.queues.SpscQueue;
import dev.millrace.simulator.Explorer;
import dev.millrace.telemetry.Counter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.foreign.MemorySegment;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a published module that requires more than {@code java.base} and what it is known to need,
 * exports an internal package or calls a restricted method, a simulator that knows Millrace, and
 * proofs that sit in a package of the product. A module can use what it requires and nothing else:
 * without {@code jdk.unsupported} there is no {@code sun.misc.Unsafe}.
 */
class ArchitectureTest {
  private static final Path SIMULATOR = Path.of("simulator", "target");
  private static final Path ROOT = Path.of("..");

  /** What a module may require besides {@code java.base} and other modules of this library. */
  private static final Map<String, String> ALSO_REQUIRED =
      Map.of(
          "dev.millrace.telemetry", "static java.management",
          "dev.millrace.micrometer", "transitive micrometer.core");

  /** What all modules may require: annotations, which are needed to compile them only. */
  private static final String ANNOTATIONS = "static org.jspecify";

  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern STRANGER = Pattern.compile("dev[./]millrace[./](?!simulator\\b)");

  static Stream<Class<?>> members() {
    return Stream.of(
        Sequence.class,
        Flyweight.class,
        SpscQueue.class,
        OffHeapCache.class,
        Sequencer.class,
        Counter.class,
        MeasuredMetrics.class);
  }

  @ParameterizedTest
  @MethodSource("members")
  void module_requiresWhatItMay_andShowsNoInternals(Class<?> member) {
    ModuleDescriptor module =
        ModuleFinder.of(origin(member)).findAll().iterator().next().descriptor();
    assertThat(module.name()).isEqualTo(member.getPackageName());
    assertThat(faults(module)).isEmpty();
  }

  @Test
  void faults_plantedInADescriptor_areFound() {
    ModuleDescriptor.Builder module =
        ModuleDescriptor.newModule("dev.millrace.planted")
            .requires("jdk.unsupported")
            .requires("java.management")
            .requires("micrometer.core")
            .requires("org.jspecify")
            .exports("dev.millrace.planted.internal")
            .exports(Set.of(), "dev.millrace.planted.a", Set.of("com.example.other"))
            .opens("dev.millrace.planted.b");
    assertThat(faults(module.build())).hasSize(7);

    ModuleDescriptor.Builder mandatory =
        ModuleDescriptor.newModule("dev.millrace.telemetry").requires("java.management");
    assertThat(faults(mandatory.build())).containsExactly("requires java.management");
  }

  /** The simulator is a library that knows no other module of this project, not even as text. */
  @Test
  void simulator_knowsNothingOfMillrace() throws IOException {
    ModuleDescriptor module =
        ModuleFinder.of(origin(Explorer.class)).findAll().iterator().next().descriptor();
    assertThat(module.name()).isEqualTo("dev.millrace.simulator");
    assertThat(module.requires())
        .extracting(ModuleDescriptor.Requires::name)
        .containsExactly("java.base");
    assertThat(strangers(SIMULATOR.resolve("classes"))).isEmpty();
    assertThat(strangers(SIMULATOR.resolve("test-classes"))).isEmpty();
  }

  @Test
  void strangers_amongTheseClasses_areFound() throws IOException {
    assertThat(strangers(origin(ArchitectureTest.class)))
        .anyMatch(name -> name.contains("dev/millrace/core/Sequence"))
        .anyMatch(name -> name.contains("dev.millrace.core."));
  }

  /** What class files name of Millrace that is not of the simulator. */
  private static SortedSet<String> strangers(Path classes) throws IOException {
    SortedSet<String> strangers = new TreeSet<>();
    for (Path file : PublishedModules.files(classes, ".class")) {
      for (PoolEntry entry : ClassFile.of().parse(file).constantPool()) {
        if (entry instanceof Utf8Entry text && STRANGER.matcher(text.stringValue()).find()) {
          strangers.add(text.stringValue());
        }
      }
    }
    return strangers;
  }

  /**
   * What the proofs and benchmarks reach has a name, in an internal package; they do not sneak in.
   */
  @Test
  void sources_ofProofsAndBenchmarks_areInNoPackageOfAPublishedModule() throws IOException {
    SortedSet<String> published = new TreeSet<>();
    for (String module : PublishedModules.NAMES) {
      published.addAll(packagesIn(ROOT.resolve(module, "src", "main", "java")));
    }
    assertThat(published).contains("dev.millrace.core", "dev.millrace.cache.internal");
    for (String folder : List.of("stress", "bench")) {
      assertThat(packagesIn(ROOT.resolve(folder)))
          .isNotEmpty()
          .doesNotContainAnyElementsOf(published);
    }
  }

  /** The packages that sources below a folder declare. */
  private static SortedSet<String> packagesIn(Path folder) throws IOException {
    SortedSet<String> packages = new TreeSet<>();
    for (Path file : PublishedModules.files(folder, ".java")) {
      if (!file.toString().contains("target")) {
        PACKAGE.matcher(Files.readString(file)).results().forEach(it -> packages.add(it.group(1)));
      }
    }
    return packages;
  }

  @ParameterizedTest
  @MethodSource("members")
  void module_callsNoRestrictedMethod(Class<?> member) {
    assertThat(restrictedCalls(origin(member))).contains("<no restricted methods>");
  }

  @Test
  void restrictedCalls_plantedHere_areFound() {
    assertThat(restrictedCalls(origin(ArchitectureTest.class)))
        .contains("ArchitectureTest$Planted", "MemorySegment::reinterpret");
  }

  @SuppressWarnings({"restricted", "unused"})
  private static final class Planted {
    static MemorySegment bigger(MemorySegment segment) {
      return segment.reinterpret(8);
    }
  }

  private static List<String> faults(ModuleDescriptor module) {
    Stream<String> required =
        module.requires().stream()
            .filter(requires -> !requires.modifiers().contains(Requires.Modifier.MANDATED))
            .filter(requires -> !requires.name().startsWith("dev.millrace."))
            .map(ArchitectureTest::directive)
            .filter(directive -> !directive.equals(ALSO_REQUIRED.get(module.name())))
            .filter(directive -> !directive.equals(ANNOTATIONS))
            .map(directive -> "requires " + directive);
    Stream<String> exported =
        module.exports().stream()
            .filter(
                exports ->
                    exports.isQualified()
                        ? !exports.targets().stream().allMatch(to -> to.startsWith("dev.millrace."))
                        : exports.source().contains(".internal"))
            .map(ModuleDescriptor.Exports::toString);
    // public types inherit public methods from internal ones, and reflection checks where they are
    Stream<String> opened =
        module.opens().stream()
            .filter(opens -> opens.isQualified() || !opens.source().contains(".internal"))
            .map(ModuleDescriptor.Opens::toString);
    return Stream.of(required, exported, opened).flatMap(faults -> faults).toList();
  }

  /** What a requires directive says: the modifiers, and the name without a version. */
  private static String directive(Requires requires) {
    return Stream.concat(
            requires.modifiers().stream().map(it -> it.name().toLowerCase(Locale.ROOT)),
            Stream.of(requires.name()))
        .collect(Collectors.joining(" "));
  }

  private static String restrictedCalls(Path classes) {
    StringWriter out = new StringWriter();
    ToolProvider.findFirst("jnativescan")
        .orElseThrow()
        .run(
            new PrintWriter(out, true),
            new PrintWriter(out, true),
            "--class-path",
            classes.toString());
    return out.toString();
  }

  private static Path origin(Class<?> member) {
    try {
      return Path.of(member.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
