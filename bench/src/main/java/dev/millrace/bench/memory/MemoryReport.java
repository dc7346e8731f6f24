package dev.millrace.bench.memory;

import dev.millrace.bench.memory.Cell.Loop;
import dev.millrace.bench.memory.Cell.Work;
import dev.millrace.report.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The tables of the post's appendix anew: one for each access, direction and size; nanoseconds for
 * an access, exclusive beside mixed, and beside the array of the heap.
 */
final class MemoryReport {
  static final List<String> HEADS =
      List.of(
          "Memory",
          "Loop",
          "#Exclusive, ns",
          "#Of two kinds, ns",
          "#Mixed, ns",
          "#Times slower of two",
          "#Times slower mixed",
          "#Against the array, exclusive",
          "#Against the array, mixed");

  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final int GIB = 1 << 30;
  private static final String NONE = "-";

  private final MemoryResults results;

  MemoryReport(MemoryResults results) {
    this.results = results;
  }

  /** Writes the page and the tables for a document. */
  static void write(MemoryResults results, Path folder) throws IOException {
    MemoryReport report = new MemoryReport(results);
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("memory.md"), report.markdown());
    List<Map<String, Object>> tables = new ArrayList<>();
    for (Work work : report.works()) {
      tables.add(Map.of("title", title(work), "rows", report.rows(work)));
    }
    Page.write(
        MemoryReport.class,
        "memory.ftlh",
        Map.of("heads", HEADS, "tables", tables, "facts", results.facts()),
        folder.resolve("index.html"));
  }

  String markdown() {
    StringBuilder text = new StringBuilder();
    for (Work work : works()) {
      text.append("### ").append(title(work)).append("\n\n|");
      HEADS.forEach(head -> text.append(' ').append(head.replace("#", "")).append(" |"));
      text.append("\n|---|---").append("|--:".repeat(HEADS.size() - 2)).append("|\n");
      for (List<String> row : rows(work)) {
        text.append("| ").append(String.join(" | ", row)).append(" |\n");
      }
      text.append('\n');
    }
    text.append("### Where it is from\n\n| | |\n|---|---|\n");
    results.facts().forEach((name, value) -> text.append("| %s | %s |\n".formatted(name, value)));
    return text.toString();
  }

  private List<Work> works() {
    return results.cells().stream()
        .map(Cell::work)
        .distinct()
        .sorted(
            Comparator.comparing(Work::access)
                .thenComparingInt(Work::sizeBytes)
                .thenComparing(work -> !work.isWrite()))
        .toList();
  }

  private List<List<String>> rows(Work work) {
    List<List<String>> rows = new ArrayList<>();
    for (Loop loop : Loop.values()) {
      for (Kind kind : Kind.values()) {
        if (Arrays.stream(Mix.values()).anyMatch(mix -> find(work, loop, kind, mix).isPresent())) {
          rows.add(row(work, loop, kind));
        }
      }
    }
    return rows;
  }

  private List<String> row(Work work, Loop loop, Kind kind) {
    Optional<Cell> exclusive = find(work, loop, kind, Mix.EXCLUSIVE);
    Optional<Cell> two = find(work, loop, kind, Mix.TWO);
    Optional<Cell> mixed = find(work, loop, kind, Mix.MIXED);
    return List.of(
        name(kind),
        loop == Loop.SHARED ? "shared" : "own",
        exclusive.map(MemoryReport::nanos).orElse(NONE),
        two.map(MemoryReport::nanos).orElse(NONE),
        mixed.map(MemoryReport::nanos).orElse(NONE),
        times(two, exclusive),
        times(mixed, exclusive),
        times(find(work, loop, Kind.ARRAY, Mix.EXCLUSIVE), exclusive),
        times(find(work, loop, Kind.ARRAY, Mix.MIXED), mixed));
  }

  private Optional<Cell> find(Work work, Loop loop, Kind kind, Mix mix) {
    Cell.Key key = new Cell.Key(work, loop, kind, mix);
    return results.cells().stream().filter(cell -> cell.key().equals(key)).findFirst();
  }

  /** The mean, and the iterations' extremes. */
  private static String nanos(Cell cell) {
    return "%s (%s..%s)".formatted(digits(cell.nanos()), digits(cell.least()), digits(cell.most()));
  }

  private static String times(Optional<Cell> longer, Optional<Cell> shorter) {
    return longer.isEmpty() || shorter.isEmpty()
        ? NONE
        : String.format(
            Locale.ROOT, "%.2f", longer.orElseThrow().nanos() / shorter.orElseThrow().nanos());
  }

  private static String digits(double nanos) {
    return String.format(Locale.ROOT, nanos < 1 ? "%.3f" : nanos < 10 ? "%.2f" : "%.1f", nanos);
  }

  private static String title(Work work) {
    String size =
        work.sizeBytes() % GIB == 0
            ? work.sizeBytes() / GIB + " GiB"
            : work.sizeBytes() % MIB == 0
                ? work.sizeBytes() / MIB + " MiB"
                : work.sizeBytes() % KIB == 0
                    ? work.sizeBytes() / KIB + " KiB"
                    : work.sizeBytes() + " bytes";
    String what =
        switch (work.access()) {
          case BYTE -> "Bytes";
          case BLOCK -> "Arrays of 1024 bytes";
          case INT -> "Ints";
          case LONG -> "Longs";
        };
    return what + (work.isWrite() ? " written to " : " read from ") + size;
  }

  private static String name(Kind kind) {
    return switch (kind) {
      case MILLRACE -> "Millrace's NativeMemory, by flyweights";
      case ARRAY -> "array on the heap";
      case ARRAY_VIEW -> "byte[], by VarHandles";
      case HEAP_BUFFER -> "ByteBuffer on the heap";
      case DIRECT_BUFFER -> "direct ByteBuffer";
      case UNSAFE_BUFFER -> "Agrona's UnsafeBuffer, direct";
      case HEAP_SEGMENT -> "MemorySegment on the heap";
      case NATIVE_SEGMENT -> "MemorySegment, native";
    };
  }
}
