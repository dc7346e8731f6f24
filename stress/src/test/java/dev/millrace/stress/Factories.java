package dev.millrace.stress;

import dev.millrace.cache.Codec;
import dev.millrace.core.Measured;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.queues.history.HistoryRing;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Calls every public method that takes a class, each with a class that it accepts, and prints what
 * became of it.
 */
final class Factories {
  /** Follows the name of a factory that returned something. */
  static final String MADE = " made it";

  /** Follows the name of a factory that threw, before the exception. */
  static final String REFUSED = " refused: ";

  private Factories() {}

  /** A record as an interface. */
  public interface Point {
    /** Returns the field. */
    long id();

    /** Sets the field. */
    Point id(long value);
  }

  /** The same record as a view written by hand. */
  private static final class PointFlyweight extends Flyweight {
    PointFlyweight(MemorySegment memory) {
      super(RecordLayout.of(ValueLayout.JAVA_LONG.withName("id")), memory);
    }
  }

  /** Several records. */
  public sealed interface Shape permits Circle {}

  /** A record. */
  public record Circle(long radius) implements Shape {}

  /**
   * Prints a line for each method and class.
   *
   * @param arguments an empty folder
   */
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    HistoryRing.single(FlyweightType.of(PointFlyweight::new), 8, folder.resolve("observe")).close();
    for (Class<?> type : PublicTypesTest.publicTypes()) {
      for (Method method : withClass(type)) {
        List<Class<?>> accepted =
            type == RecordQueue.class
                ? List.of(Circle.class, Shape.class)
                : List.of(type == Codec.class ? Circle.class : Point.class);
        for (Class<?> each : accepted) {
          call(method, each, folder);
        }
      }
    }
  }

  private static List<Method> withClass(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> method.getDeclaringClass() == type)
        .filter(method -> List.of(method.getParameterTypes()).contains(Class.class))
        .sorted(Comparator.comparing(Method::toString))
        .toList();
  }

  private static void call(Method method, Class<?> type, Path folder) throws Exception {
    String name = method.toGenericString() + " of " + type.getSimpleName();
    if (!Modifier.isStatic(method.getModifiers())) {
      throw new IllegalStateException("not a factory, say here how to call it: " + name);
    }
    long bytes = Measured.nativeBytesInUse();
    List<Path> files = files(folder);
    try {
      Object made = method.invoke(null, arguments(method, type, folder));
      System.out.println(name + MADE);
      if (made instanceof AutoCloseable closeable) {
        closeable.close();
      }
    } catch (InvocationTargetException e) {
      System.out.println(name + REFUSED + e.getCause());
      if (Measured.nativeBytesInUse() != bytes || !files(folder).equals(files)) {
        throw new IllegalStateException("left something behind: " + name);
      }
    }
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.sorted().toList();
    }
  }

  private static Object[] arguments(Method method, Class<?> type, Path folder) {
    Class<?>[] types = method.getParameterTypes();
    int last = Arrays.asList(types).lastIndexOf(int.class); // a capacity
    Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      Class<?> parameter = types[i];
      if (parameter == Class.class) {
        arguments[i] = type;
      } else if (parameter == MethodHandles.Lookup.class) {
        arguments[i] = MethodHandles.lookup();
      } else if (parameter == QueueOptions.class) {
        arguments[i] = QueueOptions.ofCapacity(8);
      } else if (parameter == RingOptions.class) {
        arguments[i] = RingOptions.singleProducer(8);
      } else if (parameter == Path.class) {
        arguments[i] = folder.resolve(method.getName());
      } else if (parameter == int.class) {
        arguments[i] = i == last ? 8 : 2;
      } else {
        throw new IllegalStateException("say here what to pass as " + parameter + ": " + method);
      }
    }
    return arguments;
  }
}
