package dev.millrace.queues.internal.shared;

import dev.millrace.flyweight.internal.Checks;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * What a ring needs in a file, and what must be equal in all processes that use it.
 *
 * @param kind which ring: 1 to 24 characters of US-ASCII
 * @param settings at most 16, by names such as a kind has
 * @param reserved how many entries of the table, from the first, are for sole roles
 * @param wordsBytes how many bytes of words there are
 * @param dataBytes how many bytes of data there are
 * @param layout what is in the words and the data, for people and for programs in other languages:
 *     at most 3,452 characters of US-ASCII
 */
public record RingSpec(
    String kind,
    SequencedMap<String, Long> settings,
    int reserved,
    long wordsBytes,
    long dataBytes,
    String layout) {
  /** Checks all of it; throws {@link IllegalArgumentException} if a part is out of its range. */
  public RingSpec {
    settings = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(settings));
    checkText("kind", kind, 1, FileLayout.NAME_BYTES);
    Checks.inRange("settings", settings.size(), 0, FileLayout.MOST_SETTINGS);
    for (String name : settings.keySet()) {
      checkText("setting", name, 1, FileLayout.NAME_BYTES);
    }
    Checks.inRange("reserved", reserved, 0, FileLayout.MOST_PARTICIPANTS);
    Checks.inRange("wordsBytes", wordsBytes, 0, FileLayout.MOST_BYTES);
    Checks.inRange("dataBytes", dataBytes, 0, FileLayout.MOST_BYTES);
    checkText("layout", layout, 0, FileLayout.LAYOUT_BYTES);
  }

  private static void checkText(String name, String text, int least, int most) {
    Checks.inRange(name + " length", text.length(), least, most);
    if (!StandardCharsets.US_ASCII.newEncoder().canEncode(text) || text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          name + " must be US-ASCII: " + name + "=" + Checks.shown(text));
    }
  }

  /** The value of a setting; throws {@link IllegalArgumentException} if there is none. */
  public long setting(String name) {
    Long value = settings.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "no such setting: " + Checks.shown(name) + ", there are " + settings.keySet());
    }
    return value;
  }

  /**
   * How it differs from what was expected, as {@code name=found, expected x}; null if it is equal.
   */
  String differenceFrom(RingSpec expected) {
    if (!kind.equals(expected.kind)) {
      return "another kind of ring: kind=" + Checks.shown(kind) + ", expected " + expected.kind;
    }
    for (var setting : expected.settings.entrySet()) {
      Long found = settings.get(setting.getKey());
      if (!setting.getValue().equals(found)) {
        return "other settings: %s=%s, expected %d"
            .formatted(setting.getKey(), found == null ? "none" : found, setting.getValue());
      }
    }
    if (settings.size() != expected.settings.size()) {
      return "other settings: "
          + Checks.shownEach(settings.keySet())
          + ", expected "
          + expected.settings.keySet();
    }
    String layout = "another layout: %s=%d, expected %d";
    if (reserved != expected.reserved) {
      return layout.formatted("reserved", reserved, expected.reserved);
    }
    if (wordsBytes != expected.wordsBytes) {
      return layout.formatted("wordsBytes", wordsBytes, expected.wordsBytes);
    }
    if (dataBytes != expected.dataBytes) {
      return layout.formatted("dataBytes", dataBytes, expected.dataBytes);
    }
    return this.layout.equals(expected.layout) ? null : differenceOf(this.layout, expected.layout);
  }

  /** Shows two layouts from the part on in which they differ. */
  private static String differenceOf(String found, String expected) {
    int same = 0;
    while (same < Math.min(found.length(), expected.length())
        && found.charAt(same) == expected.charAt(same)) {
      same++;
    }
    String common = found.substring(0, same);
    int comma = common.lastIndexOf(", ");
    int semicolon = common.lastIndexOf("; ");
    int from = comma < 0 && semicolon < 0 ? 0 : Math.max(comma, semicolon) + 2;
    return "another layout: %s, expected %s"
        .formatted(Checks.shown(found.substring(from)), Checks.shown(expected.substring(from)));
  }
}
