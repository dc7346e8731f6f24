package dev.millrace.stress.proof;

import dev.millrace.core.internal.Speculative;
import dev.millrace.simulator.Weaving;
import dev.millrace.simulator.WovenLoader;
import dev.millrace.stress.PublishedModules;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The class files that the proof is about, as they are on disk: those of the published modules and
 * those of the proof itself. Tests replace some of them.
 */
final class Code extends ClassLoader {
  static final String SCENARIOS = "dev.millrace.stress.scenario.";

  /** What scenarios, Lincheck and jcstress have in common. */
  private static final String TRIALS = "dev.millrace.stress.trial.";

  private static final Weaving WEAVING =
      Weaving.of(
              "dev.millrace.core.",
              "dev.millrace.flyweight.",
              "dev.millrace.queues.",
              "dev.millrace.disruptor.",
              "dev.millrace.telemetry.",
              "dev.millrace.cache.",
              TRIALS,
              SCENARIOS)
          .speculative(Speculative.class)
          .replacing(JvmReplacements.class)
          .replacing(JdkReplacements.class);

  /** The classes of the simulator, which is a module of its own in a folder of this one. */
  private static final Path SIMULATOR = Path.of("simulator", "target", "classes");

  /** Those of its tests, which are on no class path of this module's proof. */
  static final Path SIMULATOR_TESTS = Path.of("simulator", "target", "test-classes");

  private final Map<String, byte[]> changed;
  private final WovenLoader woven = new WovenLoader(this, WEAVING);

  private Code(Map<String, byte[]> changed) {
    super(Code.class.getClassLoader());
    this.changed = Map.copyOf(changed);
  }

  /** The code as it is. */
  static Code onDisk() {
    return new Code(Map.of());
  }

  /** The code with other class files, by the names of their classes. */
  static Code with(Map<String, byte[]> changed) {
    return new Code(changed);
  }

  /** A loader for the simulator. What one of them has woven, the others do not weave again. */
  WovenLoader woven() {
    return woven.again();
  }

  /** A loader for the simulator in which one class is another. */
  WovenLoader woven(String name, byte[] bytes) {
    return woven.with(name, bytes);
  }

  /** The bytes of a class file; null if there is none. */
  byte[] bytes(String className) {
    try (InputStream in = getResourceAsStream(className.replace('.', '/') + ".class")) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("class file must be readable: class=" + className, e);
    }
  }

  @Override
  public InputStream getResourceAsStream(String file) {
    byte[] bytes =
        file.endsWith(".class")
            ? changed.get(file.substring(0, file.length() - ".class".length()).replace('/', '.'))
            : null;
    if (bytes != null) {
      return new ByteArrayInputStream(bytes);
    }
    Path ofTests = SIMULATOR_TESTS.resolve(file);
    try {
      return Files.exists(ofTests)
          ? Files.newInputStream(ofTests)
          : super.getResourceAsStream(file);
    } catch (IOException e) {
      throw new UncheckedIOException("class file must be readable: " + ofTests, e);
    }
  }

  /** The names of the published modules' classes, in order. */
  static List<String> publishedClasses() throws IOException {
    List<String> names = new ArrayList<>();
    for (String module : PublishedModules.NAMES) {
      names.addAll(namesIn(Path.of("..", module, "target", "classes"), ""));
    }
    return names;
  }

  /**
   * The names of the classes of a package of this module, but for nested ones, in order.
   *
   * @param folder {@code classes} or {@code test-classes}: a package may be in both
   * @param packageName the package, with a dot behind
   */
  static List<String> classesOf(String folder, String packageName) throws IOException {
    return namesIn(Path.of("target", folder, packageName.replace('.', '/')), packageName).stream()
        .filter(name -> !name.contains("$"))
        .toList();
  }

  /**
   * The names of what scenarios run on: the simulator, and what it does for the code under test.
   */
  static List<String> simulatorClasses() throws IOException {
    List<String> names = new ArrayList<>(namesIn(SIMULATOR, ""));
    names.removeIf(name -> name.contains("$"));
    names.add(JvmReplacements.class.getName());
    names.add(JdkReplacements.class.getName());
    return names;
  }

  private static List<String> namesIn(Path folder, String packageName) throws IOException {
    return PublishedModules.files(folder, ".class").stream()
        .filter(file -> !file.endsWith("module-info.class"))
        .map(file -> folder.relativize(file).toString())
        .map(file -> file.substring(0, file.length() - ".class".length()))
        .map(name -> packageName + name.replace('/', '.').replace('\\', '.'))
        .toList();
  }
}
