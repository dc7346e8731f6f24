package dev.millrace.bench.harness;

import java.io.Closeable;
import java.io.IOException;
import java.lang.constant.ClassDesc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;

/**
 * Records, while it is open, objects of which classes are allocated, and how full the heap is after
 * each collection. The JVM shows an object when a thread gets another buffer to allocate in, and
 * each one that is too large for these buffers: so what it shows is a sample, which stands for as
 * many bytes as the buffer has.
 */
public final class Allocations implements Closeable {
  private static final String IN_BUFFER = "jdk.ObjectAllocationInNewTLAB";
  private static final String LARGE = "jdk.ObjectAllocationOutsideTLAB";
  private static final String HEAP = "jdk.GCHeapSummary";
  private static final String SIZE = "allocationSize";

  private final FlightRecording recording = new FlightRecording(Set.of(IN_BUFFER, LARGE, HEAP));

  /**
   * What was allocated of a class, as the sample says.
   *
   * @param type the class, as Java source would name it
   */
  public record Allocated(String type, double bytes, double objects) {
    private Allocated plus(Allocated other) {
      return new Allocated(type, bytes + other.bytes, objects + other.objects);
    }
  }

  /**
   * What was left on the heap by a collection.
   *
   * @param atMillis since the recording began
   */
  public record HeapUse(double atMillis, double megabytes) {}

  /**
   * What was recorded.
   *
   * @param allocated by class, most bytes first
   * @param heap after each collection
   */
  public record Found(List<Allocated> allocated, List<HeapUse> heap) {
    /**
     * How many objects some bytes are, if their sizes are those of the sample.
     *
     * @param bytes what was allocated, as the JVM counts it
     */
    public double objects(double bytes) {
      double sampled = allocated.stream().mapToDouble(Allocated::bytes).sum();
      double objects = allocated.stream().mapToDouble(Allocated::objects).sum();
      return sampled == 0 ? 0 : objects * (bytes / sampled);
    }
  }

  /** Leaves out what was before. */
  public void restart() {
    recording.restart();
  }

  /** Ends the recording. */
  public void stop() {
    double _ = recording.stop();
  }

  /** Returns what was recorded until {@link #stop}. */
  public Found all() throws IOException {
    Map<String, Allocated> allocated = new HashMap<>();
    List<HeapUse> heap = new ArrayList<>();
    for (RecordedEvent event : recording.events()) {
      if (!FlightRecording.isWithin(event, recording.begin(), recording.end())) {
        continue;
      }
      switch (event.getEventType().getName()) {
        case IN_BUFFER -> add(allocated, event, (double) event.getLong("tlabSize"));
        case LARGE -> add(allocated, event, (double) event.getLong(SIZE));
        case HEAP -> {
          if (event.getString("when").equals("After GC")) {
            Duration at = Duration.between(recording.begin(), event.getStartTime());
            heap.add(new HeapUse(FlightRecording.millis(at), event.getLong("heapUsed") / 1e6));
          }
        }
        default -> {} // of another recording of this JVM
      }
    }
    List<Allocated> most =
        allocated.values().stream()
            .sorted(Comparator.comparingDouble(Allocated::bytes).reversed())
            .toList();
    return new Found(most, heap);
  }

  /** An object is the likelier to be shown the larger it is, so one stands for fewer like it. */
  private static void add(Map<String, Allocated> allocated, RecordedEvent event, double bytes) {
    String type = name(event.getClass("objectClass").getName());
    Allocated some = new Allocated(type, bytes, bytes / event.getLong(SIZE));
    allocated.merge(type, some, Allocated::plus);
  }

  /** A class's name: that of an array is recorded as a descriptor. */
  private static String name(String recorded) {
    return recorded.startsWith("[")
        ? ClassDesc.ofDescriptor(recorded.replace('.', '/')).displayName()
        : recorded;
  }

  @Override
  public void close() {
    recording.close();
  }
}
