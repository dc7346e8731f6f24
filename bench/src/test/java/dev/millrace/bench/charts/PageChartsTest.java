package dev.millrace.bench.charts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

  static List<Topic> topics() throws IOException {
    return Topic.all();
  }

  @ParameterizedTest
  @MethodSource("topics")
  void chart_isThatOfTheNewestFigures(Topic topic) throws IOException {
    String svg = TopicChart.svg(Drawn.of(topic, DOCS.resolve("figures")));
    assertThat(DOCS.resolve("charts").resolve(topic.id() + ".svg")).hasContent(svg);
    assertThat(svg).hasSizeLessThan(MOST_CHARACTERS);
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
