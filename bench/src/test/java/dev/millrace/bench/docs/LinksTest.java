package dev.millrace.bench.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.junit.jupiter.api.Test;

/** Finds links of the repository's pages that lead to no file, or to no heading of a page. */
class LinksTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Parser PARSER = Parser.builder().build();

  @Test
  void links_ofAllPages_leadSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    List<Path> pages = pages();
    for (Path page : pages) {
      for (String link : linksOf(page)) {
        if (!link.matches("\\w+:.*") && !leadsSomewhere(page, link)) {
          broken.add(ROOT.relativize(page) + ": " + link);
        }
      }
    }
    assertThat(pages).hasSizeGreaterThan(15);
    assertThat(broken).isEmpty();
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .filter(file -> !ROOT.relativize(file).toString().matches("(.*/)?target/.*"))
          .sorted()
          .toList();
    }
  }

  private static List<String> linksOf(Path page) throws IOException {
    List<String> links = new ArrayList<>();
    parsed(page)
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(Link link) {
                links.add(link.getDestination());
                visitChildren(link);
              }

              @Override
              public void visit(Image image) {
                links.add(image.getDestination());
              }
            });
    return links;
  }

  private static boolean leadsSomewhere(Path page, String link) throws IOException {
    String[] parts = link.split("#", 2);
    Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
    return Files.exists(target) && (parts.length == 1 || anchorsOf(target).contains(parts[1]));
  }

  /** The names that GitHub gives to the headings of a page. */
  private static Set<String> anchorsOf(Path page) throws IOException {
    Set<String> anchors = new HashSet<>();
    parsed(page)
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(Heading heading) {
                String name =
                    textOf(heading)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}\\s_-]", "")
                        .replace(' ', '-');
                for (int i = 0; !anchors.add(i == 0 ? name : name + "-" + i); ) {
                  i++;
                }
              }
            });
    return anchors;
  }

  private static String textOf(Node heading) {
    StringBuilder text = new StringBuilder();
    heading.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code code) {
            text.append(code.getLiteral());
          }
        });
    return text.toString();
  }

  private static Node parsed(Path page) throws IOException {
    return PARSER.parse(Files.readString(page));
  }
}
