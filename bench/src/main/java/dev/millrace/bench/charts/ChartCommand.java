package dev.millrace.bench.charts;

import dev.millrace.bench.harness.RoundsCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that makes the charts and tables of a page. */
@Command(
    name = "chart",
    description = {
      "Makes a chart and a table of the newest published figures of each topic, and puts both into"
          + " the page.",
      "Figures are CSV files named by date and run, as figures --as writes them:"
          + " 2026-11-25-quick.csv. Where a day has several runs of a name (quick, quick-2), their"
          + " samples are taken together."
    },
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class ChartCommand implements Callable<Integer> {
  private static final String PAGE = "BENCHMARKS.md";

  @Spec private CommandSpec spec;

  @Option(
      names = "--docs",
      description =
          "the folder with figures, charts and the page; without a page there, the tables are"
              + " printed")
  private Path docs = RoundsCommand.TARGET.resolve("../../docs").normalize();

  @Parameters(paramLabel = "TOPIC", description = "all of them, if none is named")
  private List<String> names = List.of();

  /** Makes the command. */
  public ChartCommand() {}

  @Override
  public Integer call() throws IOException {
    List<Topic> topics = Topic.all();
    List<String> known = topics.stream().map(Topic::id).toList();
    for (String name : names) {
      if (!known.contains(name)) {
        throw new ParameterException(
            spec.commandLine(),
            "no such topic: %s (topics: %s)".formatted(name, String.join(", ", known)));
      }
    }
    for (Topic topic : topics) {
      if (names.isEmpty() || names.contains(topic.id())) {
        make(topic);
      }
    }
    return 0;
  }

  private void make(Topic topic) throws IOException {
    Drawn drawn = Drawn.of(topic, docs.resolve("figures"));
    if (drawn.parts().isEmpty()) {
      say("no figures: " + topic.id());
      return;
    }
    Path chart = docs.resolve("charts").resolve(topic.id() + ".svg");
    Files.createDirectories(chart.getParent());
    Files.writeString(chart, TopicChart.svg(drawn));
    say("chart: " + chart.toAbsolutePath().normalize());
    Path page = docs.resolve(PAGE);
    if (Files.exists(page)) {
      Files.writeString(page, replaced(Files.readString(page), drawn));
    } else {
      say(drawn.markdown());
    }
  }

  private void say(String text) {
    spec.commandLine().getOut().println(text);
  }

  /** The page with another chart and table of a topic: all from the image to the next heading. */
  private String replaced(String page, Drawn drawn) {
    String image = "](charts/" + drawn.topic().id() + ".svg)";
    Pattern block = Pattern.compile("(?ms)^!\\[[^\\n]*" + Pattern.quote(image) + ".*?(?=^#|\\z)");
    if (!block.matcher(page).find()) {
      throw new ParameterException(
          spec.commandLine(), "no image in %s: ![...%s".formatted(PAGE, image));
    }
    return block
            .matcher(page)
            .replaceFirst(Matcher.quoteReplacement(drawn.markdown() + "\n"))
            .stripTrailing()
        + "\n";
  }
}
