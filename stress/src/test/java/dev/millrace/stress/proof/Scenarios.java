package dev.millrace.stress.proof;

import dev.millrace.simulator.Scenario;
import dev.millrace.simulator.WovenLoader;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** All scenarios, found by their annotations in one package. */
final class Scenarios {
  private Scenarios() {}

  /**
   * A scenario of a loader's classes.
   *
   * @param owner the class that it stands in
   * @param type the simple name of the type that it checks
   * @param name its method, and the kind of the type
   * @param about what it checks
   * @param scenario runs it
   */
  record Entry(String owner, String type, String name, String about, Scenario scenario) {
    String id() {
      return type + "." + name;
    }
  }

  /** Loads all scenarios, in the same order each time. */
  static List<Entry> load(WovenLoader loader) throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (String name : Code.classesOf("test-classes", Code.SCENARIOS)) {
      entries.addAll(load(loader, name));
    }
    return entries;
  }

  /** Loads a scenario once more, by another loader. */
  static Entry load(WovenLoader loader, Entry entry) {
    return load(loader, entry.owner()).stream()
        .filter(again -> again.id().equals(entry.id()))
        .findFirst()
        .orElseThrow();
  }

  /** Loads the scenarios of one class, those that it inherits too. */
  private static List<Entry> load(WovenLoader loader, String name) {
    try {
      Class<?> type = loader.loadClass(name);
      ScenariosOf of = type.getAnnotation(ScenariosOf.class);
      if (of == null) {
        return List.of();
      }
      Constructor<?> constructor = type.getConstructor();
      List<Entry> entries = new ArrayList<>();
      for (Method method : type.getMethods()) {
        About about = method.getAnnotation(About.class);
        if (about != null) {
          String id = method.getName() + of.kind();
          entries.add(
              new Entry(name, of.value(), id, about.value(), Scenario.of(constructor, method)));
        }
      }
      entries.sort(Comparator.comparing(Entry::name));
      return entries;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("scenarios must be loadable: class=" + name, e);
    }
  }
}
