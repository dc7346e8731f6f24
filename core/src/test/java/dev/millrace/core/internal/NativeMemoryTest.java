package dev.millrace.core.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.core.Measured;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds memory that is not aligned or not zeroed, that can be freed twice, or that is lost without
 * the report that was asked for.
 */
class NativeMemoryTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 7, 128, 4_097, 34_560})
  void allocate_whenAnySize_isAlignedAndZeroed(long sizeBytes) {
    try (NativeMemory memory = NativeMemory.allocate(sizeBytes)) {
      MemorySegment segment = memory.segment();
      assertThat(segment.byteSize()).isEqualTo(sizeBytes);
      assertThat(segment.address() % NativeMemory.ALIGNMENT_BYTES).isZero();
      assertThat(segment.toArray(ValueLayout.JAVA_BYTE)).containsOnly((byte) 0);
      assertThat(segment.isNative()).isTrue();
    }
  }

  @Test
  void allocate_whenMemoryWasUsedBefore_isZeroed() {
    for (int round = 0; round < 100; round++) {
      try (NativeMemory memory = NativeMemory.allocate(1_000)) {
        assertThat(memory.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly((byte) 0);
        memory.segment().fill((byte) -1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, (1L << 47) + 1, Long.MAX_VALUE})
  void allocate_whenSizeOutOfRange_namesRuleAndSize(long sizeBytes) {
    Throws.illegalArgument(
        "sizeBytes must be in 1..140737488355328: sizeBytes=" + sizeBytes,
        () -> NativeMemory.allocate(sizeBytes));
  }

  @Test
  void allocate_whenThereIsNotAsMuch_namesSize() throws IOException {
    Path overcommit = Path.of("/proc/sys/vm/overcommit_memory");
    assumeThat(Files.exists(overcommit) && Files.readString(overcommit).startsWith("1"))
        .as("a machine that promises more memory than it has")
        .isFalse();
    assertThatThrownBy(() -> NativeMemory.allocate(1L << 46))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("native memory must fit the machine: sizeBytes=70368744177664")
        .hasCauseInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void segment_whenClosed_saysSo() {
    NativeMemory memory = NativeMemory.allocate(64);
    MemorySegment segment = memory.segment();
    assertThat(memory.isOpen()).isTrue();

    memory.close();

    assertThat(memory.isOpen()).isFalse();
    Throws.illegalState("memory must be open: closed, sizeBytes=64", memory::segment);
    Throws.illegalState("memory must be closed only once: sizeBytes=64", memory::close);
    Throws.illegalState("...", () -> segment.get(ValueLayout.JAVA_LONG, 0));
  }

  @Test
  void close_whenManyThreadsClose_succeedsOnce() throws Exception {
    for (int round = 0; round < 200; round++) {
      NativeMemory memory = NativeMemory.allocate(64);
      CyclicBarrier together = new CyclicBarrier(2);
      List<TestCall<Boolean>> calls =
          TestCall.run(
              2,
              () -> {
                together.await();
                memory.close();
              });
      TestCall.await(() -> calls.stream().allMatch(TestCall::isOver));
      List<TestCall<Boolean>> failed = calls.stream().filter(TestCall::hasFailed).toList();
      assertThat(failed).hasSize(1);
      assertThat(failed.getFirst().failure()).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void close_whileAnotherThreadReads_endsItWithAnException() throws Exception {
    for (int round = 0; round < 20; round++) {
      NativeMemory memory = NativeMemory.allocate(4_096);
      MemorySegment segment = memory.segment();
      CountDownLatch reading = new CountDownLatch(1);
      TestCall<Boolean> reader =
          TestCall.run(
              () -> {
                for (long sum = 0; sum >= 0; reading.countDown()) {
                  for (long offset = 0; offset < 4_096; offset += 8) {
                    sum += segment.get(ValueLayout.JAVA_LONG, offset);
                  }
                }
              });
      reading.await();
      memory.close();
      assertThat(reader.failure()).isInstanceOf(IllegalStateException.class);
    }
  }

  // ---- what is in use ----

  @Test
  void nativeBytesInUse_countsUntilClose() {
    long before = Measured.nativeBytesInUse();
    NativeMemory first = NativeMemory.allocate(1_000);
    NativeMemory second = NativeMemory.allocate(24);
    assertThat(Measured.nativeBytesInUse()).isEqualTo(before + 1_024);
    assertThatThrownBy(() -> NativeMemory.allocate(0)).isNotNull();
    first.close();
    Throws.illegalState("...", first::close);
    assertThat(Measured.nativeBytesInUse()).isEqualTo(before + 24);
    second.close();
    assertThat(Measured.nativeBytesInUse()).isEqualTo(before);
  }

  @Test
  void memory_thatIsNeverClosed_isReportedIfAsked() throws InterruptedException {
    BlockingQueue<LogRecord> reports = new LinkedBlockingQueue<>();
    Logger logger = Logger.getLogger(NativeMemory.class.getName());
    logger.setFilter(report -> !reports.add(report)); // and so prints none
    try {
      loseSome(11);
      System.setProperty(NativeMemory.REPORT_LEAKS, "true");
      NativeMemory kept = NativeMemory.allocate(12);
      NativeMemory.allocate(13).close();
      loseSome(14);
      LogRecord report = null;
      while (report == null) {
        System.gc();
        report = reports.poll(10, TimeUnit.MILLISECONDS);
      }
      assertThat(report.getMessage()).isEqualTo("memory must be closed: lost, sizeBytes=14");
      assertThat(report.getThrown())
          .hasStackTraceContaining("NativeMemoryTest.loseSome")
          .hasMessage("allocated here");
      kept.close();
      System.gc();
      assertThat(reports.poll(50, TimeUnit.MILLISECONDS)).isNull();
    } finally {
      System.clearProperty(NativeMemory.REPORT_LEAKS);
      logger.setFilter(null);
    }
  }

  private static void loseSome(long sizeBytes) {
    assertThat(NativeMemory.allocate(sizeBytes).isOpen()).isTrue();
  }
}
