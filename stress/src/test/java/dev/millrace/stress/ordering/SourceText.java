package dev.millrace.stress.ordering;

import java.util.ArrayList;
import java.util.List;

/** A Java source, with its comments told from its code. */
final class SourceText {
  private final List<String> code = new ArrayList<>();
  private final List<String> comments = new ArrayList<>();
  private final List<List<String>> blocks = new ArrayList<>();

  private enum Place {
    CODE,
    STRING,
    CHARACTER,
    TEXT_BLOCK,
    BLOCK_COMMENT
  }

  private Place place = Place.CODE;
  private List<String> block = new ArrayList<>();

  SourceText(List<String> lines) {
    lines.forEach(this::read);
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
    StringBuilder text = new StringBuilder();
    for (int i = first; i <= last; i++) {
      if (!comments.get(i - 1).isEmpty()) {
        text.append(text.isEmpty() ? "" : " ").append(comments.get(i - 1));
      }
    }
    return text.toString();
  }

  /** The line comments that begin at or go on from a line, or nothing. */
  String commentOf(int line) {
    return comments.get(line - 1);
  }

  private boolean isOfSameStatement(int line) {
    boolean isComment = code.get(line - 1).isBlank() && !comments.get(line - 1).isEmpty();
    boolean isCode = !code.get(line - 1).isBlank();
    return isComment || (isCode && !endsStatement(line));
  }

  private boolean endsStatement(int line) {
    String text = code.get(line - 1).stripTrailing();
    return text.endsWith(";")
        || text.endsWith("{")
        || text.endsWith("}")
        || text.endsWith(":")
        || text.endsWith("->");
  }

  private void read(String line) {
    StringBuilder text = new StringBuilder();
    String comment = "";
    StringBuilder inBlock = new StringBuilder();
    boolean touchesBlock = place == Place.BLOCK_COMMENT;
    int i = 0;
    while (i < line.length()) {
      char c = line.charAt(i);
      int step = 1;
      switch (place) {
        case CODE -> {
          if (line.startsWith("//", i)) {
            comment = line.substring(i + 2).strip();
            step = line.length() - i;
          } else if (line.startsWith("/*", i)) {
            place = Place.BLOCK_COMMENT;
            touchesBlock = true;
            inBlock.append("/*");
            step = 2;
          } else {
            step = enterLiteral(line, i);
            text.append(line, i, i + step);
          }
        }
        case BLOCK_COMMENT -> {
          if (line.startsWith("*/", i)) {
            place = Place.CODE;
            step = 2;
          } else {
            inBlock.append(c);
          }
        }
        default -> {
          step = inLiteral(line, i);
          text.append(line, i, i + step);
        }
      }
      i += step;
    }
    if (touchesBlock) {
      block.add(inBlock.toString());
      if (place != Place.BLOCK_COMMENT) {
        endBlock();
      }
    }
    code.add(text.toString());
    comments.add(comment);
  }

  private void endBlock() {
    if (!block.getFirst().startsWith("/**")) {
      blocks.add(List.copyOf(block));
    }
    block = new ArrayList<>();
  }

  private int enterLiteral(String line, int i) {
    if (line.startsWith("\"\"\"", i)) {
      place = Place.TEXT_BLOCK;
      return 3;
    }
    if (line.charAt(i) == '"') {
      place = Place.STRING;
    } else if (line.charAt(i) == '\'') {
      place = Place.CHARACTER;
    }
    return 1;
  }

  private int inLiteral(String line, int i) {
    if (line.charAt(i) == '\\') {
      return Math.min(2, line.length() - i);
    }
    if (place == Place.TEXT_BLOCK) {
      if (line.startsWith("\"\"\"", i)) {
        place = Place.CODE;
        return 3;
      }
    } else if (line.charAt(i) == (place == Place.STRING ? '"' : '\'')) {
      place = Place.CODE;
    }
    return 1;
  }
}
