package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.core.Sequence;
import dev.millrace.stress.proof.Child;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathFactory;
import javax.xml.xpath.XPathNodes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Document;
import org.w3c.dom.Node;

/**
 * Finds a published artifact that a user cannot compile or run with what a build tool gives: the
 * packaged jar and those of the mandatory dependencies. A program uses each as a named module and
 * on the class path. Hazard: a module that requires an optional dependency of its artifact
 * transitively, so that nobody without that dependency can require it.
 *
 * <pre>{@code
 * mvn verify -pl stress -am -Dproof.skip -Dtest=ConsumersTest \
 *     -Dsurefire.failIfNoSpecifiedTests=false
 * }</pre>
 *
 * <p>Skipped by {@code mvn test}, which packages nothing.
 */
class ConsumersTest {
  private static final String TRADE =
      """
      final class Trade extends Flyweight {
        static final RecordLayout LAYOUT = RecordLayout.of(JAVA_LONG.withName("price"));
        private static final RecordLayout.Field PRICE = LAYOUT.field("price");

        Trade(MemorySegment memory) {
          super(LAYOUT, memory);
        }

        long price() {
          return getLong(PRICE);
        }

        void price(long value) {
          putLong(PRICE, value);
        }
      }

      interface Quote {
        long price();

        void price(long value);
      }
      """;

  private static final String PASS_A_QUOTE =
      """
        quotes.producer().claim().price(42);
        quotes.producer().commit();
        quotes.producer().close();
        var sum = new AtomicLong();
        quotes.consumer().forEach(quote -> sum.addAndGet(quote.price()));
        return sum.get() == 42;
      }
      """;

  /** A program, and the artifacts that its author asks for. */
  enum Consumer {
    CORE(
        "core",
        """
        var sequence = new Sequence(41);
        sequence.getAndAdd(1);
        return sequence.getAcquire() == 42 && Measured.nativeBytesInUse() == 0;
        """),

    FLYWEIGHT(
        "flyweight",
        """
        try (var arena = Arena.ofConfined()) {
          var trade = new Trade(arena.allocate(Trade.LAYOUT.sizeBytes(), Long.BYTES));
          trade.moveTo(0);
          trade.price(42);
          return trade.price() == 42;
        }
        """),

    QUEUES(
        "queues",
        """
        record Order(long price) {}
        try {
          RecordQueue.of(Order.class, 2);
          if (Order.class.getModule().isNamed()) {
            return false; // its package is not open
          }
        } catch (IllegalArgumentException e) {
          String opens = "'opens consumer to dev.millrace.flyweight;' in module-info.java of consumer";
          String lookup = "RecordQueue.of(Order.class, MethodHandles.lookup(), options)";
          if (!Order.class.getModule().isNamed()
              || !e.getMessage().contains("write " + opens + ", or " + lookup)) {
            throw e;
          }
        }
        var options = QueueOptions.ofCapacity(2);
        try (var trades = SpscQueue.of(FlyweightType.of(Trade::new), options);
            var orders = RecordQueue.of(Order.class, MethodHandles.lookup(), options)) {
          trades.producer().tryClaim().price(42);
          trades.producer().commit();
          trades.consumer().drain(one -> orders.add(new Order(one.price())), 1);
          return orders.remove().price() == 42;
        }
        """),

    QUEUES_BY_ENDS(
        "queues",
        """
        var type = FlyweightType.of(Quote.class, MethodHandles.lookup());
        var options = QueueOptions.ofCapacity(2);
        try (var quotes = SpscQueue.of(type, options)) {
        """
            + PASS_A_QUOTE),

    QUEUES_OF_AN_OPEN_PACKAGE(
        "queues",
        """
        try (var quotes = SpscQueue.of(Quote.class, 2)) {
        """
            + PASS_A_QUOTE) {
      @Override
      String moduleInfo() {
        return super.moduleInfo().replace("}", "opens consumer to dev.millrace.flyweight; }");
      }
    },

    CACHE(
        "cache",
        """
        record Offer(long price) {}
        var offers = Codec.records(Offer.class, MethodHandles.lookup());
        var options = CacheOptions.ofBytes(1 << 20);
        try (var cache = OffHeapCache.of(Codec.utf8(), offers, options)) {
          cache.put("lamp", new Offer(42));
          return cache.get("lamp").price() == 42
              && cache.get("chair", name -> new Offer(name.length())).price() == 5;
        }
        """),

    TELEMETRY_OF_A_CACHE(
        "telemetry cache",
        """
        try (var telemetry = Telemetry.inMemory(Telemetry.Options.defaults());
            var cache = OffHeapCache.of(Codec.longs(), Codec.uuids(), CacheOptions.ofBytes(1 << 20));
            var reader = telemetry.newReader()) {
          telemetry.report("cache", cache);
          return reader.gauges().containsKey("cache.lostBytes");
        }
        """),

    DISRUPTOR(
        "disruptor",
        """
        var options = RingOptions.singleProducer(2);
        var ring = ObjectRing.of(options, AtomicLong::new);
        var sum = new AtomicLong();
        var add = Pipeline.<AtomicLong>each(
            (event, sequence, endOfBatch) -> sum.addAndGet(event.get()));
        try (var pipeline = Pipeline.on(ring)
            .stage("add").handledBy(add)
            .build()) {
          pipeline.start();
          ring.publish(AtomicLong::set, 42L);
          pipeline.drain(Duration.ofSeconds(10));
        }
        return sum.get() == 42;
        """),

    TELEMETRY(
        "telemetry",
        """
        var options = Telemetry.Options.defaults().withTrace(4, 64);
        try (var telemetry = Telemetry.inMemory(options)) {
          telemetry.report("number", () -> 42);
          var writer = telemetry.newTraceWriter("writer", "trade", FlyweightType.of(Trade::new));
          writer.tryClaim();
          writer.commit();
          var counter = telemetry.counter("orders");
          counter.add(42);
          return counter.get() == 42;
        }
        """),

    TELEMETRY_OF_A_QUEUE(
        "telemetry queues",
        """
        try (var telemetry = Telemetry.inMemory(Telemetry.Options.defaults());
            var queue = SpscQueue.of(FlyweightType.of(Trade::new), QueueOptions.ofCapacity(2));
            var reader = telemetry.newReader()) {
          telemetry.report("queue", queue);
          return reader.gauges().containsKey("queue.size");
        }
        """),

    TELEMETRY_OF_A_PIPELINE(
        "telemetry disruptor",
        """
        var options = RingOptions.singleProducer(2);
        var ring = ObjectRing.of(options, AtomicLong::new);
        var none = Pipeline.<AtomicLong>each((event, sequence, endOfBatch) -> {});
        try (var telemetry = Telemetry.inMemory(Telemetry.Options.defaults());
            var pipeline = Pipeline.on(ring)
                .stage("none").handledBy(none)
                .build()) {
          telemetry.report("pipeline", pipeline);
          pipeline.start();
          try (var reader = telemetry.newReader()) {
            return reader.counters().containsKey("pipeline.published");
          }
        }
        """);

    private final String artifacts;
    private final String body;

    Consumer(String artifacts, String body) {
      this.artifacts = artifacts;
      this.body = body;
    }

    List<String> artifacts() {
      return List.of(artifacts.split(" "));
    }

    String moduleInfo() {
      return artifacts().stream()
          .map(artifact -> "requires dev.millrace." + artifact + ";")
          .collect(Collectors.joining(" ", "module consumer { ", " }"));
    }

    /** The program, which imports what the modules that it requires hand on. */
    String program() throws Exception {
      Set<String> given = withDependencies(artifacts());
      return """
      package consumer;

      import static java.lang.foreign.ValueLayout.JAVA_LONG;

      %s
      import java.lang.foreign.Arena;
      import java.lang.foreign.MemorySegment;
      import java.lang.invoke.MethodHandles;
      import java.time.Duration;
      import java.util.concurrent.atomic.AtomicLong;

      final class Main {
        public static void main(String[] args) throws Exception {
          if (!works()) {
            throw new AssertionError("wrong result");
          }
        }

        static boolean works() throws Exception {
          %s
        }
      }

      %s
      """
          .formatted(
              given.stream()
                  .map("import dev.millrace.%s.*;"::formatted)
                  .collect(Collectors.joining("\n")),
              body,
              given.contains("flyweight") ? TRADE : "");
    }
  }

  @TempDir private Path folder;

  @BeforeAll
  static void skipUnlessPackaged() throws Exception {
    Path core = Path.of(Sequence.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    assumeThat(core).as("artifacts are packaged").isRegularFile();
  }

  @Test
  void consumers_areOfAllPublishedModules() {
    assertThat(Consumer.values())
        .extracting(Consumer::artifacts)
        .containsAll(
            PublishedModules.NAMES.stream().map(ConsumersTest::artifact).map(List::of).toList());
  }

  @ParameterizedTest
  @EnumSource
  void consumer_asModule_compilesAndRuns(Consumer consumer) throws Exception {
    compile("-p", consumer);
    run("-p", consumer, "-m", "consumer/consumer.Main");
  }

  @ParameterizedTest
  @EnumSource
  void consumer_onClassPath_compilesAndRuns(Consumer consumer) throws Exception {
    compile("-cp", consumer);
    run("-cp", consumer, "consumer.Main");
  }

  @Test
  void consumer_inARuntimeImage_runs() throws Exception {
    Consumer consumer = Consumer.QUEUES_BY_ENDS;
    compile("-p", consumer);
    String image = folder.resolve("image").toString();
    String path = pathToRun(consumer);
    tool("jlink", "-p", path, "--add-modules", "consumer", "--output", image);
    Process program =
        new ProcessBuilder(image + "/bin/java", "-m", "consumer/consumer.Main")
            .redirectErrorStream(true)
            .start();
    String said = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(program.waitFor()).as(said).isZero();
  }

  private void compile(String pathOption, Consumer consumer) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("-Xlint:all", "-Werror"));
    arguments.addAll(List.of("-d", classes().toString(), pathOption, path(consumer)));
    arguments.add(write("Main.java", consumer.program()));
    if (pathOption.equals("-p")) {
      arguments.add(write("module-info.java", consumer.moduleInfo()));
    }
    tool("javac", arguments.toArray(String[]::new));
  }

  private String write(String file, String text) throws IOException {
    return Files.writeString(folder.resolve(file), text).toString();
  }

  private static void tool(String name, String... arguments) {
    StringWriter messages = new StringWriter();
    PrintWriter out = new PrintWriter(messages);
    int exit = ToolProvider.findFirst(name).orElseThrow().run(out, out, arguments);
    assertThat(exit).as(messages.toString()).isZero();
  }

  private void run(String pathOption, Consumer consumer, String... main) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(pathOption, pathToRun(consumer)));
    arguments.addAll(List.of(main));
    int exit = Child.java(folder, "output.txt", arguments);
    assertThat(exit).as(Files.readString(folder.resolve("output.txt"))).isZero();
  }

  private Path classes() {
    return folder.resolve("classes");
  }

  private String pathToRun(Consumer consumer) throws Exception {
    return path(consumer) + File.pathSeparator + classes();
  }

  private static String path(Consumer consumer) throws Exception {
    return withDependencies(consumer.artifacts()).stream()
        .map(artifact -> jar(artifact).toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** The artifacts that a build tool finds for these: by their poms, without optional ones. */
  private static Set<String> withDependencies(List<String> artifacts) throws Exception {
    Set<String> found = new LinkedHashSet<>(artifacts);
    for (String artifact : artifacts) {
      found.addAll(withDependencies(dependencies(artifact)));
    }
    return found;
  }

  private static List<String> dependencies(String artifact) throws Exception {
    Document pom =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(Path.of("..", folder(artifact), "pom.xml").toFile());
    String mandatory = "/project/dependencies/dependency[not(scope='test' or optional='true')]";
    List<String> names = new ArrayList<>();
    for (Node id :
        XPathFactory.newInstance()
            .newXPath()
            .evaluateExpression(mandatory + "/artifactId", pom, XPathNodes.class)) {
      names.add(id.getTextContent().replace("millrace-", ""));
    }
    return names;
  }

  private static String folder(String artifact) {
    return PublishedModules.NAMES.stream()
        .filter(folder -> artifact(folder).equals(artifact))
        .findFirst()
        .orElseThrow();
  }

  private static String artifact(String folder) {
    return Path.of(folder).getFileName().toString();
  }

  private static Path jar(String artifact) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath())
        .filter(
            entry ->
                entry.getFileName().toString().matches("millrace-" + artifact + "-\\d.*\\.jar"))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no jar on the class path: artifact=" + artifact));
  }
}
