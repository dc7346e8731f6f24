package dev.millrace.telemetry;

import dev.millrace.core.Measured;
import dev.millrace.flyweight.internal.Checks;

/**
 * The metrics of a queue, a log, a ring, a pipeline, a cache or any other {@link Measured} object
 * as an open MBean in the platform's MBean server, where JMX clients can read them.
 *
 * {@snippet file="Examples.java" region="bean"}
 *
 * <p><b>Names.</b> The object name is {@code dev.millrace:type=SpscQueue,name=orders}, with the
 * type of the object and the name that was given here. The MBean has an attribute for each counter
 * and each gauge, of the type {@code long}, under the name that the metric has in {@link
 * Measured#counters} or {@link Measured#gauges}. Attributes are read-only.
 *
 * <p><b>Roles.</b> Any thread may call any method. The object is read by the threads of JMX.
 *
 * <p><b>Lifetime.</b> The MBean does not keep the object from being garbage-collected, and is
 * unregistered when {@link #close()} is called, or after the object has been collected. A closed
 * object that is still reachable reports what its type documents: for queues the final counts, and
 * a size of zero.
 *
 * <p><b>Failure.</b> If the object throws while it is read, or has been garbage-collected, the JMX
 * client gets that exception.
 *
 * <p><b>Cost.</b> Each request reads all metrics of the object once, however many attributes it
 * asks for. Between requests the MBean costs nothing.
 *
 * @since 0.1.0
 */
public final class MeasuredBean implements AutoCloseable {
  private static final String JMX = "java.management";

  private final OpenBean bean;

  private MeasuredBean(OpenBean bean) {
    this.bean = bean;
  }

  /**
   * Registers an MBean.
   *
   * @param name the name in the MBean's object name
   * @param measured the object. Keep a reference to it, because the MBean does not
   * @return the registration
   * @throws IllegalArgumentException if an object of the same type is registered under that name
   * @throws IllegalStateException if this JVM has no JMX, because it runs without the module {@code
   *     java.management}
   */
  public static MeasuredBean register(String name, Measured measured) {
    Checks.notNull("name", name);
    Checks.notNull("measured", measured);
    if (ModuleLayer.boot().findModule(JMX).isEmpty()) {
      throw new IllegalStateException(
          "JMX needs the module %s, which this JVM runs without: start it with --add-modules %s"
              .formatted(JMX, JMX));
    }
    return new MeasuredBean(OpenBean.register(name, measured));
  }

  /**
   * Returns the MBean's object name.
   *
   * @return the name, which is available even after close
   */
  public String objectName() {
    return bean.objectName();
  }

  /** Unregisters the MBean. Repeated calls are allowed. */
  @Override
  public void close() {
    bean.close();
  }

  /** Returns the MBean's object name, for debugging. */
  @Override
  public String toString() {
    return "MeasuredBean[" + Checks.shown(objectName()) + "]";
  }
}
