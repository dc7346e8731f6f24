package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cache.OffHeapCache;
import dev.millrace.core.Sequence;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.micrometer.MeasuredMetrics;
import dev.millrace.queues.RecordQueue;
import dev.millrace.queues.SpscQueue;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.telemetry.Counter;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a public type beyond the budget of its package, nested ones counted, and one whose methods
 * do not have the names or the access that those of the others have. A small surface is a promise;
 * raising a number takes an entry in {@code docs/DECISIONS.md}.
 */
class PublicTypesTest {
  static Stream<Arguments> budgets() {
    return Stream.of(
        Arguments.of(Sequence.class, 8),
        Arguments.of(Flyweight.class, 7),
        Arguments.of(SpscQueue.class, 13),
        Arguments.of(HistoryRing.class, 3),
        Arguments.of(MessageQueue.class, 9),
        Arguments.of(MessageLog.class, 7),
        Arguments.of(OffHeapCache.class, 6),
        Arguments.of(Sequencer.class, 14),
        Arguments.of(Counter.class, 8),
        Arguments.of(MeasuredMetrics.class, 2));
  }

  @ParameterizedTest
  @MethodSource("budgets")
  void publicTypes_ofPackage_areWithinTheBudget(Class<?> member, int budget) throws Exception {
    assertThat(publicTypesBeside(member)).contains(member).hasSizeLessThanOrEqualTo(budget);
  }

  /**
   * One shape: {@code commit} publishes, and only objects are published by a lambda; where a record
   * lies is told by its view alone; what has a producer's or consumer's name is one.
   */
  @ParameterizedTest
  @MethodSource("budgets")
  void publicTypes_ofPackage_haveOneShape(Class<?> member, int budget) throws Exception {
    for (Class<?> type : publicTypesBeside(member)) {
      String name = type.getSimpleName();
      Set<String> methods =
          Stream.of(type.getMethods()).map(Method::getName).collect(Collectors.toSet());
      assertThat(methods).as(name).doesNotContain("abandon");
      if (type != ObjectRing.class) {
        assertThat(methods).as(name).doesNotContain("publish", "tryPublish");
      }
      if (!Flyweight.class.isAssignableFrom(type)) {
        assertThat(methods).as(name).doesNotContain("offset");
      }
      if (name.endsWith("Producer")) {
        assertThat(methods).as(name).contains("tryClaim", "claim", "commit", "abort", "close");
      }
      if (name.endsWith("Consumer")) {
        assertThat(methods).as(name).contains("tryPoll", "poll", "release", "isDrained");
      }
      if (name.endsWith("Queue") && type != RecordQueue.class) {
        assertThat(methods).as(name).contains("complete", "awaitDrained", "close");
      }
    }
  }

  /** Reflection, and what is built on it, may call a method only if it may see who declares it. */
  @ParameterizedTest
  @MethodSource("budgets")
  void publicMethods_ofPackage_canBeCalledByReflectionFromOtherModules(Class<?> member, int budget)
      throws Exception {
    Set<String> accessible = accessiblePackages();
    for (Class<?> type : publicTypesBeside(member)) {
      assertThat(Arrays.stream(type.getMethods()).map(Method::getDeclaringClass).distinct())
          .as("who declares the public methods of %s", type.getName())
          .allMatch(owner -> Modifier.isPublic(owner.getModifiers()))
          .map(Class::getPackageName)
          .allMatch(owner -> owner.startsWith("java.") || accessible.contains(owner));
    }
  }

  /** A user with an interface does not need {@link FlyweightType}. */
  @ParameterizedTest
  @MethodSource("budgets")
  void factories_thatTakeATypeOfFlyweight_alsoTakeAnInterface(Class<?> member, int budget)
      throws Exception {
    for (Class<?> type : publicTypesBeside(member)) {
      for (Method factory : type.getMethods()) {
        Class<?>[] parameters = factory.getParameterTypes();
        if (Modifier.isStatic(factory.getModifiers())
            && Collections.replaceAll(
                Arrays.asList(parameters), FlyweightType.class, Class.class)) {
          assertThat(type.getMethod(factory.getName(), parameters).getReturnType())
              .as("%s", factory)
              .isEqualTo(factory.getReturnType());
        }
      }
    }
  }

  /** The packages of all modules that are exported or open to everybody. */
  private static Set<String> accessiblePackages() throws Exception {
    Set<String> accessible = new HashSet<>();
    for (Arguments budget : budgets().toList()) {
      ModuleDescriptor module = moduleOf((Class<?>) budget.get()[0]).descriptor();
      module.exports().stream()
          .filter(exports -> !exports.isQualified())
          .forEach(exports -> accessible.add(exports.source()));
      module.opens().stream()
          .filter(opens -> !opens.isQualified())
          .forEach(opens -> accessible.add(opens.source()));
    }
    return accessible;
  }

  static List<Class<?>> publicTypes() throws Exception {
    List<Class<?>> types = new ArrayList<>();
    for (Arguments budget : budgets().toList()) {
      types.addAll(publicTypesBeside((Class<?>) budget.get()[0]));
    }
    return types;
  }

  private static ModuleReference moduleOf(Class<?> member) throws Exception {
    URI origin = member.getProtectionDomain().getCodeSource().getLocation().toURI();
    return ModuleFinder.of(Path.of(origin)).findAll().iterator().next();
  }

  private static List<Class<?>> publicTypesBeside(Class<?> member) throws Exception {
    String file = member.getPackageName().replace('.', '/') + "/[^/-]+\\.class";
    List<Class<?>> types = new ArrayList<>();
    try (ModuleReader module = moduleOf(member).open()) {
      for (String name : module.list().filter(its -> its.matches(file)).toList()) {
        String type = name.replace(".class", "").replace('/', '.');
        types.add(Class.forName(type, false, member.getClassLoader()));
      }
    }
    return types.stream().filter(PublicTypesTest::isPublic).toList();
  }

  private static boolean isPublic(Class<?> type) {
    return Modifier.isPublic(type.getModifiers())
        && (type.getDeclaringClass() == null
            ? !type.isAnonymousClass()
            : isPublic(type.getDeclaringClass()));
  }
}
