package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.millrace.core.Measured;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.RecordQueue;
import dev.millrace.testkit.OtherJvm;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.management.Attribute;
import javax.management.AttributeNotFoundException;
import javax.management.InstanceNotFoundException;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import javax.management.openmbean.OpenMBeanAttributeInfo;
import javax.management.openmbean.OpenMBeanInfo;
import javax.management.openmbean.SimpleType;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Finds a metric that JMX clients read under the wrong name or cannot read at all, an MBean that
 * keeps its queue alive or stays after it, and one that takes the place of another.
 */
@Timeout(120)
class MeasuredBeanTest {
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  /** A number. */
  interface Numbered {
    long number();

    void number(long value);
  }

  /** A structure that throws when it is read. */
  private static class Failing implements Measured {
    @Override
    public List<String> counters() {
      return List.of("read");
    }

    @Override
    public List<String> gauges() {
      return List.of();
    }

    @Override
    public void readMetrics(long[] values) {
      throw new IllegalStateException("on purpose");
    }
  }

  /** Registers an MBean in a JVM that may have no JMX, and prints what happens. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) {
      try (Telemetry telemetry = Telemetry.inMemory(Telemetry.Options.defaults());
          MeasuredBean bean = MeasuredBean.register("failing", new Failing())) {
        telemetry.counter("orders").increment();
        System.out.println(bean.objectName());
      } catch (IllegalStateException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  private static Map<String, Object> read(MBeanServerConnection server, MeasuredBean bean)
      throws Exception {
    ObjectName name = new ObjectName(bean.objectName());
    return server
        .getAttributes(name, List.of("size", "noSuch", "consumed").toArray(String[]::new))
        .asList()
        .stream()
        .collect(Collectors.toMap(Attribute::getName, Attribute::getValue));
  }

  private static void put(MpscQueue<Numbered> queue, int count) {
    var producer = queue.newProducer();
    for (int i = 0; i < count; i++) {
      producer.tryClaim().number(i);
      producer.commit();
    }
  }

  @Test
  @SuppressWarnings("BanJNDI") // a connection within this process
  void attributes_overAConnection_areTheMetrics() throws Exception {
    System.setProperty("java.rmi.server.hostname", "localhost");
    JMXConnectorServer connector =
        JMXConnectorServerFactory.newJMXConnectorServer(
            new JMXServiceURL("rmi", "localhost", 0), null, SERVER);
    connector.start();
    MpscQueue<Numbered> queue = MpscQueue.of(Numbered.class, 8);
    try (MeasuredBean bean = MeasuredBean.register("remote", queue);
        JMXConnector client = JMXConnectorFactory.connect(connector.getAddress())) {
      MBeanServerConnection server = client.getMBeanServerConnection();
      ObjectName name = new ObjectName("dev.millrace:type=MpscQueue,name=remote");
      assertThat(server.queryNames(new ObjectName("dev.millrace:name=remote,*"), null))
          .containsExactly(name);

      OpenMBeanInfo info = (OpenMBeanInfo) server.getMBeanInfo(name);
      assertThat(info.getAttributes())
          .extracting(attribute -> ((OpenMBeanAttributeInfo) attribute).getName())
          .containsExactlyElementsOf(queue.metrics().keySet());
      assertThat(info.getAttributes())
          .allMatch(attribute -> ((OpenMBeanAttributeInfo) attribute).isReadable())
          .noneMatch(attribute -> ((OpenMBeanAttributeInfo) attribute).isWritable())
          .allMatch(
              attribute ->
                  ((OpenMBeanAttributeInfo) attribute).getOpenType().equals(SimpleType.LONG));

      put(queue, 5);
      queue.consumer().tryPoll();
      queue.consumer().release();
      assertThat(server.getAttribute(name, "claimed")).isEqualTo(5L);
      assertThat(server.getAttribute(name, "capacity")).isEqualTo(8L);
      assertThat(read(server, bean)).containsOnly(entry("size", 4L), entry("consumed", 1L));
      Throws.a(
          AttributeNotFoundException.class,
          "metrics are read-only: size...",
          () -> server.setAttribute(name, new Attribute("size", 1L)));
      Throws.a(
          AttributeNotFoundException.class,
          "no such metric: noSuch...",
          () -> server.getAttribute(name, "noSuch"));

      queue.close();
      assertThat(read(server, bean)).containsOnly(entry("size", 0L), entry("consumed", 1L));
    } finally {
      connector.stop();
    }
  }

  @Test
  @SuppressWarnings("try") // closed early, on purpose
  void register_whenTheNameIsTaken_isRefusedAndLeavesTheOther() throws Exception {
    try (MpscQueue<Numbered> first = MpscQueue.of(Numbered.class, 8);
        MpscQueue<Numbered> second = MpscQueue.of(Numbered.class, 16);
        MeasuredBean bean = MeasuredBean.register("taken", first)) {
      Throws.illegalArgument(
          "name is taken by another MBean: dev.millrace:type=MpscQueue,name=taken",
          () -> MeasuredBean.register("taken", second));
      assertThat(SERVER.getAttribute(new ObjectName(bean.objectName()), "capacity")).isEqualTo(8L);

      bean.close();
      try (MeasuredBean other = MeasuredBean.register("taken", second)) {
        bean.close();
        ObjectName name = new ObjectName(other.objectName());
        assertThat(SERVER.getAttribute(name, "capacity")).isEqualTo(16L);
        SERVER.unregisterMBean(name);
        try (MeasuredBean _ = MeasuredBean.register("taken", first)) {
          other.close(); // whose MBean was unregistered by another
          assertThat(SERVER.getAttribute(name, "capacity")).isEqualTo(8L);
        }
        Throws.a(InstanceNotFoundException.class, () -> SERVER.getAttribute(name, "capacity"));
      }
    }
  }

  @Test
  void register_ofAnyName_isQuotedIfNecessary() throws Exception {
    try (MpscQueue<Numbered> queue = MpscQueue.of(Numbered.class, 8)) {
      for (String name : List.of("", "a,b=c", "what?*", "two\nlines", "\"", Throws.FLOOD)) {
        try (MeasuredBean bean = MeasuredBean.register(name, queue)) {
          ObjectName objectName = new ObjectName(bean.objectName());
          assertThat(ObjectName.unquote(objectName.getKeyProperty("name"))).isEqualTo(name);
          assertThat(objectName.isPattern()).isFalse();
          Throws.readably(() -> MeasuredBean.register(name, queue));
        }
      }
      Throws.nullArgument("name", () -> MeasuredBean.register(null, queue));
      Throws.nullArgument("measured", () -> MeasuredBean.register("null", null));
    }
  }

  @Test
  void type_ofAGeneratedOrPrivateClass_isThatOfItsPublicOne() {
    record Point(int x) {}
    try (RecordQueue<Point> queue = RecordQueue.of(Point.class, 8);
        MeasuredBean generated = MeasuredBean.register("type", queue);
        MeasuredBean hidden = MeasuredBean.register("type", new Failing())) {
      assertThat(generated.objectName()).contains("type=RecordQueue");
      assertThat(hidden.objectName()).contains("type=Measured");
      assertThat(generated).hasToString("MeasuredBean[" + generated.objectName() + "]");
    }
  }

  @Test
  void getAttribute_ofAStructureThatThrows_throwsThat() throws Exception {
    Failing failing = new Failing();
    try (MeasuredBean bean = MeasuredBean.register("throws", failing)) {
      ObjectName name = new ObjectName(bean.objectName());
      Throws.a(
          RuntimeMBeanException.class,
          "...on purpose",
          () -> SERVER.getAttribute(name, "read"),
          () -> SERVER.getAttributes(name, new String[] {"read"}));
      assertThat(failing.counters()).hasSize(1); // reachable until here
    }
  }

  @Test
  void mbean_ofAQueueThatIsGarbage_isUnregistered() throws Exception {
    ObjectName name = new ObjectName(registeredAndDropped());
    TestCall.await(
        () -> {
          System.gc();
          return !SERVER.isRegistered(name);
        });
  }

  private static String registeredAndDropped() throws Exception {
    record Point(int x) {}
    MeasuredBean bean = MeasuredBean.register("dropped", RecordQueue.of(Point.class, 8));
    return bean.objectName();
  }

  @Test
  void register_withoutTheModule_namesIt() throws Exception {
    assertThat(printedWith("--limit-modules=java.base"))
        .containsExactly(
            "JMX needs the module java.management, which this JVM runs without: start it with"
                + " --add-modules java.management");
    assertThat(printedWith("--limit-modules=java.management"))
        .containsExactly("dev.millrace:type=Measured,name=failing");
  }

  private static List<String> printedWith(String option) throws Exception {
    ProcessBuilder program = OtherJvm.of(Program.class).redirectErrorStream(true);
    program.command().add(1, option);
    Process process = program.start();
    List<String> lines = process.inputReader().lines().toList();
    assertThat(process.waitFor()).as("%s", lines).isZero();
    return lines;
  }
}
