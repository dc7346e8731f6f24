package dev.millrace.bench.articles;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Param;

/** Finds a scan that leaves a record out. */
class ScanBenchmarkTest {
  @Test
  void scan_ofAllWays_hasTheSameSum() throws Exception {
    Field records = ScanBenchmark.class.getDeclaredField("records");
    ScanBenchmark scans = new ScanBenchmark();
    scans.setUp();
    List<Long> sums = new ArrayList<>();
    for (String way : records.getAnnotation(Param.class).value()) {
      scans.records = way;
      sums.add(scans.scan());
    }
    scans.tearDown();
    long count = 1 << 20;
    assertThat(sums).hasSize(6).containsOnly(3 * (count * (count - 1) / 2) + 3 * count);
  }
}
