package dev.millrace.telemetry;

import dev.millrace.core.Measured;
import dev.millrace.core.internal.Metrics;
import dev.millrace.flyweight.internal.Checks;
import java.lang.management.ManagementFactory;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanException;
import javax.management.MBeanInfo;
import javax.management.MBeanNotificationInfo;
import javax.management.MBeanRegistration;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import javax.management.openmbean.OpenMBeanAttributeInfo;
import javax.management.openmbean.OpenMBeanAttributeInfoSupport;
import javax.management.openmbean.OpenMBeanConstructorInfo;
import javax.management.openmbean.OpenMBeanInfoSupport;
import javax.management.openmbean.OpenMBeanOperationInfo;
import javax.management.openmbean.SimpleType;
import org.jspecify.annotations.NullUnmarked;

/**
 * The MBean behind a {@link MeasuredBean}. Only this class uses the module {@code java.management},
 * so that the others load without it.
 *
 * <p>The MBean server refers to this object for as long as it is registered. The object therefore
 * refers to the structure weakly, and a cleaner unregisters it once the structure is unreachable.
 */
@NullUnmarked // which fields are null follows from the state
final class OpenBean implements DynamicMBean, MBeanRegistration {
  private static final Cleaner CLEANER = Cleaner.create();

  private final WeakReference<Measured> measured;
  private final ObjectName objectName;
  private final List<String> metrics; // counters, then gauges
  private final MBeanInfo info;

  private boolean isRegistered; // guarded by this, which is never held while the server is called
  private Cleaner.Cleanable registration; // null until registered

  private OpenBean(ObjectName objectName, String kind, Measured measured) {
    List<String> counters = measured.counters();
    List<String> gauges = measured.gauges();
    this.measured = new WeakReference<>(measured);
    this.objectName = objectName;
    this.metrics = Stream.concat(counters.stream(), gauges.stream()).toList();
    this.info =
        new OpenMBeanInfoSupport(
            OpenBean.class.getName(),
            "The metrics of a " + kind,
            Stream.concat(
                    counters.stream().map(metric -> attribute(metric, "counter: only rises")),
                    gauges.stream().map(metric -> attribute(metric, "gauge: rises and falls")))
                .toArray(OpenMBeanAttributeInfo[]::new),
            new OpenMBeanConstructorInfo[0],
            new OpenMBeanOperationInfo[0],
            new MBeanNotificationInfo[0]);
  }

  private static OpenMBeanAttributeInfo attribute(String metric, String description) {
    return new OpenMBeanAttributeInfoSupport(
        metric, description, SimpleType.LONG, true, false, false);
  }

  /** Registers an MBean for {@code measured} under {@code name}. */
  static OpenBean register(String name, Measured measured) {
    String kind = Metrics.kindOf(measured);
    ObjectName objectName = objectName(kind, name);
    OpenBean bean = new OpenBean(objectName, kind, measured);
    try {
      server().registerMBean(bean, objectName);
    } catch (InstanceAlreadyExistsException e) {
      throw new IllegalArgumentException(
          "name is taken by another MBean: " + Checks.shown(objectName), e);
    } catch (JMException e) {
      throw new IllegalStateException("cannot register " + Checks.shown(objectName), e);
    }
    bean.registration = CLEANER.register(measured, bean::unregister);
    return bean;
  }

  private static ObjectName objectName(String kind, String name) {
    boolean isPlain = !name.isEmpty() && name.chars().noneMatch(c -> ",=:\"*?\n".indexOf(c) >= 0);
    try {
      return new ObjectName(
          "dev.millrace:type=" + kind + ",name=" + (isPlain ? name : ObjectName.quote(name)));
    } catch (MalformedObjectNameException e) {
      throw new IllegalArgumentException(
          "name cannot be part of an object name: name=" + Checks.shown(name), e);
    }
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }

  String objectName() {
    return objectName.toString();
  }

  void close() {
    registration.clean();
  }

  /** Runs once, when closed or when the structure is unreachable. */
  private void unregister() {
    try {
      if (isRegistered()) { // otherwise the name may be another MBean's by now
        server().unregisterMBean(objectName);
      }
    } catch (InstanceNotFoundException e) {
      return; // another thread has just unregistered it
    } catch (JMException e) {
      throw new IllegalStateException("cannot unregister " + Checks.shown(objectName), e);
    }
  }

  // ---- reading ----

  private long[] read() throws MBeanException {
    Measured structure = measured.get();
    if (structure == null) {
      throw new MBeanException(
          new IllegalStateException("measured object was garbage-collected: " + objectName));
    }
    long[] values = new long[metrics.size()];
    structure.readMetrics(values);
    return values;
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException, MBeanException {
    int index = metrics.indexOf(attribute);
    if (index < 0) {
      throw new AttributeNotFoundException(
          "no such metric: %s, %s".formatted(Checks.shown(attribute), objectName));
    }
    return read()[index];
  }

  /** Reads several metrics at once. Those that do not exist are left out, as JMX asks. */
  @Override
  public AttributeList getAttributes(String[] attributes) {
    AttributeList found = new AttributeList();
    try {
      long[] values = read();
      for (String attribute : attributes) {
        int index = metrics.indexOf(attribute);
        if (index >= 0) {
          found.add(new Attribute(attribute, values[index]));
        }
      }
    } catch (MBeanException e) {
      return found; // the structure is gone
    }
    return found;
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    return info;
  }

  // ---- what it does not offer ----

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException(
        "metrics are read-only: %s, %s".formatted(Checks.shown(attribute.getName()), objectName));
  }

  @Override
  public AttributeList setAttributes(AttributeList attributes) {
    return new AttributeList(); // those that were set
  }

  @Override
  public Object invoke(String action, Object[] arguments, String[] signature)
      throws ReflectionException {
    throw new ReflectionException(
        new NoSuchMethodException("no such operation: " + Checks.shown(action)));
  }

  // ---- registration ----

  @Override
  public ObjectName preRegister(MBeanServer server, ObjectName name) {
    return name;
  }

  @Override
  public synchronized void postRegister(Boolean isDone) {
    isRegistered = isDone;
  }

  private synchronized boolean isRegistered() {
    return isRegistered;
  }

  @Override
  public void preDeregister() {}

  @Override
  public synchronized void postDeregister() {
    isRegistered = false;
  }
}
