package dev.millrace.stress.ordering;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A Java source, with its comments told from its code. */
final class SourceText {
  /** A comment, or a literal that may look as if it held one. */
  private static final Pattern COMMENT_OR_LITERAL =
      Pattern.compile(
          "//[^\n]*|/\\*(?s:.*?)\\*/|\"\"\"(?s:.*?)(?<!\\\\)\"\"\""
              + "|\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*'");

  private final List<String> code;
  private final Map<Integer, String> comments = new HashMap<>(); // line comments, by line
  private final List<List<String>> blocks = new ArrayList<>();

  SourceText(String source) {
    this.code =
        COMMENT_OR_LITERAL
            .matcher(source)
            .replaceAll(
                found -> {
                  String text = found.group();
                  if (text.startsWith("//")) {
                    int line = source.substring(0, found.start()).split("\n", -1).length;
                    comments.put(line, text.substring(2).strip());
                    return "";
                  }
                  if (!text.startsWith("/*")) {
                    return Matcher.quoteReplacement(text);
                  }
                  if (!text.startsWith("/**")) {
                    blocks.add(text.substring(0, text.length() - 2).lines().toList());
                  }
                  return text.replaceAll("[^\n]", "");
                })
            .lines()
            .toList();
  }

  /** The block comments, Javadoc left out, each as its lines. */
  List<List<String>> blocks() {
    return blocks;
  }

  int lineCount() {
    return code.size();
  }

  /**
   * All that the line comments of a statement say: those directly above it, and those on or between
   * its lines.
   *
   * @param line a line of the statement, from 1
   * @return the comments as one text; empty if there are none
   */
  String comment(int line) {
    int first = line;
    while (first > 1 && isOfSameStatement(first - 1)) {
      first--;
    }
    int last = line;
    while (last < code.size() && !endsStatement(last)) {
      last++;
    }
    return IntStream.rangeClosed(first, last)
        .mapToObj(comments::get)
        .filter(Objects::nonNull)
        .collect(Collectors.joining(" "));
  }

  /** The line comment on a line, or nothing. */
  String commentOf(int line) {
    return comments.getOrDefault(line, "");
  }

  private boolean isOfSameStatement(int line) {
    return code.get(line - 1).isBlank() ? comments.containsKey(line) : !endsStatement(line);
  }

  private boolean endsStatement(int line) {
    return code.get(line - 1).stripTrailing().matches(".*([;{}:]|->)");
  }
}
