package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.Sequence;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.queues.SpscQueue;
import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a type in a closed package of a user's module that is refused although a lookup sees it, a
 * refusal that does not say which package to open, and a public method that reflection may not
 * call. One module uses the library and types of another; neither opens a package.
 */
class ClosedModulesTest {
  private static final String USER =
      """
      package user;

      import dev.millrace.disruptor.*;
      import dev.millrace.flyweight.FlyweightType;
      import dev.millrace.queues.*;
      import dev.millrace.queues.history.*;
      import dev.millrace.queues.messages.*;
      import java.lang.invoke.MethodHandles;
      import java.lang.reflect.*;
      import java.util.*;
      import java.util.concurrent.Callable;
      import other.Types;
      import user.hidden.Fill;

      public class Calls {
        public interface Trade { long id(); Trade id(long value); }
        public interface Book { Types.Level level(); }
        public interface Quote { Types.Sale sale(); }
        public interface Order { Types.Side side(); Order side(Types.Side value); }
        public record Sided(Types.Side side) {}

        static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
        static final QueueOptions OPTIONS = QueueOptions.ofCapacity(8);

        public static final Map<String, Callable<Object>> ALL =
            Map.of(
                "interface", () -> SpscQueue.of(Trade.class, 8),
                "record", () -> RecordQueue.of(Fill.class, 8),
                "nested elsewhere", () -> FlyweightType.of(Book.class, LOOKUP),
                "elsewhere", () -> MpmcQueue.of(Types.Level.class, OPTIONS),
                "record elsewhere", () -> RecordQueue.of(Types.Sale.class, 8),
                "record in an interface", () -> FlyweightType.of(Quote.class, LOOKUP),
                "interface by lookup", () -> FlyweightType.of(Trade.class, LOOKUP),
                "record by lookup", () -> RecordQueue.of(Fill.class, Fill.LOOKUP, OPTIONS),
                "enum elsewhere", () -> FlyweightType.of(Order.class, LOOKUP),
                "enum in a record", () -> RecordQueue.of(Sided.class, LOOKUP, OPTIONS));

        /** The public methods that this module may not call by reflection. */
        public static List<Method> inaccessible() {
          FlyweightType<Trade> trades = FlyweightType.of(Trade.class, LOOKUP);
          SpscQueue<Trade> spsc = SpscQueue.of(trades, OPTIONS);
          MpscQueue<Trade> mpsc = MpscQueue.of(trades, OPTIONS);
          MpmcQueue<Trade> mpmc = MpmcQueue.of(trades, OPTIONS);
          KFifoQueue<Trade> fifo = KFifoQueue.of(trades, 2, OPTIONS);
          HistoryRing<Trade> history = HistoryRing.single(trades, 8);
          MessageQueue messages = MessageQueue.mpsc(QueueOptions.ofCapacity(512));
          RecordRing<Trade> ring = RecordRing.of(trades, RingOptions.multiProducer(8));
          List<Method> found = new ArrayList<>();
          for (Object one :
              List.of(
                  spsc, spsc.producer(), spsc.consumer(),
                  mpsc, mpsc.newProducer(), mpsc.consumer(),
                  mpmc, mpmc.newProducer(), mpmc.newConsumer(),
                  fifo, fifo.newProducer(), fifo.newConsumer(),
                  history, history.producer(), history.newReader(1),
                  messages, messages.newProducer(), messages.newConsumer(),
                  ring, ring.newProducer())) {
            Class<?> type = one.getClass();
            while (!Modifier.isPublic(type.getModifiers())) {
              type = type.getSuperclass(); // what its factory says that it is
            }
            for (Method method : type.getMethods()) {
              if (!method.canAccess(Modifier.isStatic(method.getModifiers()) ? null : one)) {
                found.add(method);
              }
            }
          }
          return found;
        }
      }
      """;

  private static final String OTHER =
      """
      package other;

      public class Types {
        public interface Level { long price(); Level price(long value); }
        public record Sale(other.hidden.Price price) {}
        public enum Side { BUY, SELL }
      }
      """;

  private static Class<?> user;

  @BeforeAll
  static void defineTheModules(@TempDir Path folder) throws Exception {
    List<Path> modules = new ArrayList<>();
    for (Class<?> member :
        List.of(Sequence.class, Flyweight.class, SpscQueue.class, Sequencer.class)) {
      modules.add(Path.of(member.getProtectionDomain().getCodeSource().getLocation().toURI()));
    }
    String library =
        modules.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    Path sources = folder.resolve("sources");
    write(sources.resolve("other/module-info.java"), "module other { exports other; }");
    write(sources.resolve("other/other/Types.java"), OTHER);
    write(
        sources.resolve("other/other/hidden/Price.java"),
        "package other.hidden; public record Price(long units) {}");
    write(
        sources.resolve("user/module-info.java"),
        """
        module user {
          requires dev.millrace.queues;
          requires dev.millrace.disruptor;
          requires other;
          exports user;
        }
        """);
    write(sources.resolve("user/user/Calls.java"), USER);
    write(
        sources.resolve("user/user/hidden/Fill.java"),
        """
        package user.hidden;

        import java.lang.invoke.MethodHandles;

        public record Fill(long id) {
          public static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
        }
        """);
    String classes = folder.resolve("classes").toString();
    List<String> arguments =
        List.of(
            "-d", classes, "-p", library, "--module-source-path", sources.toString(), "-m", "user");
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, arguments.toArray(String[]::new)))
        .isZero();
    modules.add(Path.of(classes, "user"));
    modules.add(Path.of(classes, "other"));
    ModuleLayer boot = ModuleLayer.boot();
    Configuration configuration =
        boot.configuration()
            .resolve(
                ModuleFinder.of(modules.toArray(Path[]::new)), ModuleFinder.of(), Set.of("user"));
    ClassLoader platform = ClassLoader.getPlatformClassLoader();
    user =
        boot.defineModulesWithOneLoader(configuration, platform)
            .findLoader("user")
            .loadClass("user.Calls");
  }

  private static void write(Path file, String text) throws Exception {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private static Object call(String name) throws Exception {
    Map<?, ?> calls = (Map<?, ?>) user.getField("ALL").get(null);
    return ((Callable<?>) calls.get(name)).call();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "interface|user|user.Calls$Trade|FlyweightType.of(Trade.class, MethodHandles.lookup())",
        "record|user|user.hidden.Fill|RecordQueue.of(Fill.class, MethodHandles.lookup(), options)",
        "elsewhere|other|other.Types$Level|FlyweightType.of(Level.class, MethodHandles.lookup())",
        "nested elsewhere|other|other.Types$Level|", // which no lookup of the user's sees
        "record elsewhere|other|other.hidden.Price|",
      })
  void of_aTypeOfAClosedPackage_namesItAndWhatOpensIt(
      String call, String module, String type, String otherwise) {
    String itsPackage = type.substring(0, type.lastIndexOf('.'));
    assertThatThrownBy(() -> call(call))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "package must be open: write 'opens %s to dev.millrace.flyweight;' in module-info.java"
                + " of %s%s: type=%s",
            itsPackage, module, otherwise == null ? "" : ", or " + otherwise, type);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"interface by lookup", "record by lookup", "enum elsewhere", "enum in a record"})
  void of_aTypeThatTheLookupSees_isTaken(String call) throws Exception {
    assertThat(call(call)).isNotNull();
  }

  @Test
  void publicMethods_canBeCalledByReflection() throws Exception {
    assertThat((List<?>) user.getMethod("inaccessible").invoke(null)).isEmpty();
  }
}
