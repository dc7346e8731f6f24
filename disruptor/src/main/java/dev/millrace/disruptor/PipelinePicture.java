package dev.millrace.disruptor;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Draws an acyclic graph as a tree: a node with several before it hangs under the last of them. */
final class PipelinePicture {
  private record Node(String name, List<String> after, String text) {
    String parent() {
      return after.isEmpty() ? null : after.getLast();
    }
  }

  private final String root;
  private final List<Node> nodes = new ArrayList<>();

  PipelinePicture(String root) {
    this.root = root;
  }

  /** Adds a node, behind all that it comes after. */
  void add(String name, List<String> after, String text) {
    nodes.add(new Node(name, sorted(after), text));
  }

  /** In the order in which they are drawn, so that a node hangs under the one that comes last. */
  private List<String> sorted(List<String> after) {
    return nodes.stream().map(Node::name).filter(after::contains).toList();
  }

  String draw() {
    StringBuilder picture = new StringBuilder(root);
    draw(null, "", picture);
    return picture.toString();
  }

  private void draw(String parent, String indent, StringBuilder picture) {
    List<Node> below =
        nodes.stream().filter(node -> Objects.equals(node.parent(), parent)).toList();
    for (int i = 0; i < below.size(); i++) {
      Node node = below.get(i);
      boolean isLast = i == below.size() - 1;
      picture.append('\n').append(indent).append(isLast ? "└─ " : "├─ ").append(node.name);
      if (node.after.size() > 1) {
        picture.append(" (after ").append(String.join(", ", node.after)).append(')');
      }
      picture.append(node.text);
      draw(node.name, indent + (isLast ? "   " : "│  "), picture);
    }
  }
}
