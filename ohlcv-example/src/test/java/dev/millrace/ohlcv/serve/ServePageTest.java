package dev.millrace.ohlcv.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * Finds a page of {@code ohlcv serve} that shows other candles than the API, lags, loads something
 * from elsewhere, cannot be used by keyboard or does not fit a narrow screen: in Chromium, while
 * the sample is replayed. Screenshots stay in {@code target/screenshots}. Skipped unless {@code
 * chromium} and {@code chromedriver} are on the {@code PATH}; Debian's packages are {@code
 * chromium} and {@code chromium-driver}.
 *
 * <p>{@code mvn verify -pl ohlcv-example -am -Dtest=ServePageTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 */
@Timeout(120)
final class ServePageTest {
  private static final String OPTIONS = "--speed 1200"; // 20 candles of a minute per second
  private static final Path SCREENSHOTS = Path.of("target", "screenshots");

  /** Elements that reach beyond the page's right edge, apart from what scrolls in a frame. */
  private static final String TOO_WIDE =
      """
      const width = document.documentElement.clientWidth;
      return [...document.querySelectorAll('*')]
        .filter(element => element.getBoundingClientRect().right > width + 0.5)
        .filter(element => element.matches('.scroll') || !element.closest('.scroll'))
        .map(element => element.outerHTML.slice(0, 80));
      """;

  private static final String CELLS =
      """
      return [...document.getElementById(arguments[0]).rows]
        .map(row => [...row.cells].map(cell => cell.textContent));
      """;

  private static Served served;
  private static ChromeDriver browser;
  private static String origin;

  /** A candle, from the page or from the API. */
  private record Row(String openTime, List<BigDecimal> prices, BigDecimal volume, long count) {
    static Row of(List<String> cells) {
      List<BigDecimal> numbers =
          cells.stream().skip(1).map(text -> number(text.replace(",", ""))).toList();
      return new Row(
          cells.getFirst().replace('\n', 'T'),
          numbers.subList(0, 4),
          numbers.get(4),
          numbers.get(5).longValueExact());
    }

    static Row of(JsonNode candle) {
      Stream<String> names = Stream.of("open", "high", "low", "close");
      return new Row(
          Instant.ofEpochMilli(candle.get("open_time").longValue())
              .toString()
              .substring(0, "2013-11-25T00:00".length()),
          names.map(name -> number(candle.get(name).asText())).toList(),
          number(candle.get("volume").asText()),
          candle.get("count").longValue());
    }

    private static BigDecimal number(String text) {
      return new BigDecimal(text).stripTrailingZeros();
    }

    boolean isBefore(Row other) {
      int order = openTime.compareTo(other.openTime);
      return order < 0 || (order == 0 && count < other.count);
    }
  }

  @BeforeAll
  static void start() throws Exception {
    Optional<File> chromium = find("chromium");
    Optional<File> driver = find("chromedriver");
    assumeTrue(
        chromium.isPresent() && driver.isPresent(),
        "no browser: put chromium and chromedriver on the PATH");
    served = Served.stream(InputStream.nullInputStream(), OPTIONS);
    origin = served.uri("").toString();
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.get());
    options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
    options.addArguments(
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars");
    // Else Selenium would look for a driver on the network.
    System.setProperty("webdriver.chrome.driver", driver.get().getPath());
    browser = new ChromeDriver(options);
  }

  private static Optional<File> find(String program) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
        .map(folder -> new File(folder, program))
        .filter(File::canExecute)
        .findFirst();
  }

  @AfterAll
  static void stop() throws Exception {
    if (browser != null) {
      browser.quit();
    }
    if (served != null) {
      served.close();
    }
  }

  @BeforeEach
  void open() throws Exception {
    browser.get(origin);
    awaitLive("1m");
  }

  @AfterEach
  void assertQuiet() throws IOException {
    assertThat(browser.manage().logs().get(LogType.BROWSER)).as("console").isEmpty();
    List<String> addresses = new ArrayList<>();
    for (LogEntry entry : browser.manage().logs().get(LogType.PERFORMANCE)) {
      JsonNode event = Served.parse(entry.getMessage()).get("message");
      if (event.get("method").textValue().equals("Network.requestWillBeSent")) {
        addresses.add(event.at("/params/request/url").textValue());
      }
    }
    assertThat(addresses)
        .contains(origin + "/", origin + "/lib/chart.js", origin + "/metrics")
        .allSatisfy(address -> assertThat(address).startsWith(origin + "/"));
  }

  @Test
  void table_whileTradesArrive_hasTheCandlesOfTheApi() throws Exception {
    assertTableIsTheApis("1m");
    String fetched = table().getFirst().openTime();
    served.await(() -> table().getLast().openTime().compareTo(fetched) > 0); // all were streamed
    assertTableIsTheApis("1m");
  }

  @Test
  void change_isShownWithinASecond() throws Exception {
    List<Duration> delays = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Row before = candles("1m", 1).getLast();
      served.await(() -> before.isBefore(candles("1m", 1).getLast()));
      long startNanos = System.nanoTime();
      Row changed = candles("1m", 1).getLast();
      served.await(() -> !table().getFirst().isBefore(changed));
      delays.add(Duration.ofNanos(System.nanoTime() - startNanos));
    }
    delays.sort(null);
    delays.removeLast(); // on a busy machine one may be longer
    assertThat(delays).allSatisfy(delay -> assertThat(delay).isLessThan(Duration.ofSeconds(1)));
  }

  @Test
  void interval_chosenByKeyboard_isShown() throws Exception {
    assertThat(tab()).isEqualTo("symbol");
    assertThat(tab()).isEqualTo("interval");
    press(Keys.ARROW_DOWN);
    awaitLive("5m");
    assertThat(table()).allMatch(row -> row.openTime().matches(".*[05]"));
    assertTableIsTheApis("5m");
  }

  @Test
  void pause_pressedByKeyboard_keepsWhatIsShown() throws Exception {
    while (!tab().equals("pause")) {
      // on to the next
    }
    press(Keys.SPACE);
    served.await(() -> attribute("pause", "aria-pressed").equals("true"));
    Thread.sleep(200); // a redraw that was due
    List<Row> before = table();
    Thread.sleep(500);
    assertThat(table()).isEqualTo(before);
    press(Keys.SPACE);
    served.await(() -> !table().equals(before));
  }

  @Test
  void metrics_afterTwoPolls_areAllShown() throws Exception {
    served.await(() -> text("allocated").matches("[\\d.]+ .?B/s"));
    List<List<String>> stages = cells("stages");
    assertThat(stages).extracting(List::getFirst).containsExactly("aggregate", "publish");
    for (List<String> stage : stages) {
      assertThat(stage.get(1)).as("events/s").matches("[1-9][\\d,]*");
      assertThat(stage.get(2)).as("lag").matches("[\\d,]+");
      assertThat(stage.get(3)).as("busy").matches("[\\d.]+%");
      assertThat(stage.subList(4, 6)).as("latency").allMatch(text -> text.matches("[\\d.]+ .?s"));
    }
    assertThat(text("trades")).matches("[1-9][\\d,]*");
    assertThat(text("late")).isEqualTo("0");
    assertThat(text("ring")).matches("[\\d,]+ of [1-9][\\d,]*");
    assertThat(text("hits")).matches("[\\d,]+ of [1-9][\\d,]* \\([\\d.]+%\\)");
    assertThat(text("cached")).matches("[1-9][\\d,]* \\([\\d.]+ .?B\\)");
    assertThat(text("collections")).matches("[\\d,]+ \\([\\d,]+ ms\\)");
  }

  @ParameterizedTest
  @CsvSource({"360, 1800, light", "360, 1800, dark", "1400, 1050, light", "1400, 1050, dark"})
  void page_atEachWidthAndScheme_fits(int width, int height, String scheme) throws Exception {
    browser.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    browser.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    served.await(() -> table().size() == 10 && text("allocated").matches("\\d.*"));
    Thread.sleep(200); // a redraw in the new colours
    Files.createDirectories(SCREENSHOTS);
    Path file = SCREENSHOTS.resolve("serve-%d-%s.png".formatted(width, scheme));
    Files.write(file, browser.getScreenshotAs(OutputType.BYTES));

    assertThat((List<?>) browser.executeScript(TOO_WIDE)).as("too wide").isEmpty();
    String background = browser.findElement(By.tagName("body")).getCssValue("background-color");
    boolean isLight = background.contains("255, 255, 255");
    assertThat(isLight).as(background).isEqualTo(scheme.equals("light"));
  }

  /** Moves the focus on. What has it then must have a name and show it. Returns its id. */
  private static String tab() {
    press(Keys.TAB);
    WebElement focused = browser.switchTo().activeElement();
    assertThat(focused.getAccessibleName()).isNotBlank();
    assertThat(focused.getCssValue("outline-style")).isEqualTo("solid");
    return focused.getDomAttribute("id");
  }

  private static void press(Keys key) {
    new Actions(browser).sendKeys(key).perform();
  }

  private static void awaitLive(String interval) throws Exception {
    String name = "Live: .+, " + interval;
    served.await(() -> text("status").matches(name) && !table().isEmpty());
  }

  /** The API is asked last, so the candles before the newest on the page cannot change any more. */
  private static void assertTableIsTheApis(String interval) throws Exception {
    served.await(() -> table().size() > 2);
    List<Row> shown = table().reversed();
    List<Row> expected = candles(interval, 1_000);
    int end = openTimes(expected).indexOf(shown.getLast().openTime()) + 1;
    expected = expected.subList(Math.max(0, end - 10), end);
    assertThat(openTimes(shown)).isEqualTo(openTimes(expected));
    assertThat(shown.reversed().subList(1, shown.size()))
        .isEqualTo(expected.reversed().subList(1, shown.size()));
  }

  private static List<String> openTimes(List<Row> rows) {
    return rows.stream().map(Row::openTime).toList();
  }

  private static List<Row> candles(String interval, int limit) throws Exception {
    JsonNode answer = served.json("/candles?interval=%s&limit=%d".formatted(interval, limit));
    return StreamSupport.stream(answer.get("candles").spliterator(), false).map(Row::of).toList();
  }

  private static List<Row> table() {
    return cells("candles").stream().map(Row::of).toList();
  }

  @SuppressWarnings("unchecked")
  private static List<List<String>> cells(String tableBody) {
    return (List<List<String>>) browser.executeScript(CELLS, tableBody);
  }

  private static String text(String id) {
    return browser.findElement(By.id(id)).getText();
  }

  private static String attribute(String id, String name) {
    return browser.findElement(By.id(id)).getDomAttribute(name);
  }
}
