package dev.millrace.bench.charts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a chart or table of docs/BENCHMARKS.md that its figures have left behind, and figures that
 * no page links to. {@code bench/compare chart} makes the charts and tables again.
 */
class PageChartsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOCS = ROOT.resolve("docs");
  private static final int MOST_CHARACTERS = 25_000;
  private static final Pattern NUMBER = Pattern.compile("\\d+(\\.\\d+)?");

  /** Another system may measure the same font a little differently. */
  private static final double MOST_PIXELS = 2;

  static List<Topic> topics() throws IOException {
    return Topic.all();
  }

  @ParameterizedTest
  @MethodSource("topics")
  void chart_isThatOfTheNewestFigures(Topic topic) throws IOException {
    String drawn = TopicChart.svg(Drawn.of(topic, DOCS.resolve("figures")));
    String published = Files.readString(DOCS.resolve("charts").resolve(topic.id() + ".svg"));
    assertThat(NUMBER.matcher(published).replaceAll("0"))
        .isEqualTo(NUMBER.matcher(drawn).replaceAll("0"));
    assertThat(numbersOf(published))
        .usingElementComparator((x, y) -> Math.abs(x - y) <= MOST_PIXELS ? 0 : Double.compare(x, y))
        .isEqualTo(numbersOf(drawn));
    assertThat(published).hasSizeLessThan(MOST_CHARACTERS);
  }

  private static List<Double> numbersOf(String svg) {
    return NUMBER.matcher(svg).results().map(found -> Double.valueOf(found.group())).toList();
  }

  @ParameterizedTest
  @MethodSource("topics")
  void table_isThatOfTheNewestFigures(Topic topic) throws IOException {
    assertThat(DOCS.resolve("BENCHMARKS.md"))
        .content()
        .contains(Drawn.of(topic, DOCS.resolve("figures")).markdown());
  }

  @Test
  void charts_areOfTopics() throws IOException {
    assertThat(namesIn("charts"))
        .containsExactlyInAnyOrderElementsOf(
            Topic.all().stream().map(topic -> topic.id() + ".svg").toList());
  }

  @Test
  void figures_areLinkedTo() throws IOException {
    String pages;
    try (Stream<Path> files = Files.list(DOCS)) {
      pages =
          files
              .filter(file -> file.toString().endsWith(".md"))
              .map(PageChartsTest::text)
              .collect(Collectors.joining());
    }
    assertThat(namesIn("figures")).isNotEmpty().allMatch(name -> pages.contains("figures/" + name));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> namesIn(String folder) throws IOException {
    try (Stream<Path> files = Files.list(DOCS.resolve(folder))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
