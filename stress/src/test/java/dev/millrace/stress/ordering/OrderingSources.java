package dev.millrace.stress.ordering;

import dev.millrace.stress.PublishedModules;
import dev.millrace.stress.mutation.AccessSite;
import dev.millrace.stress.mutation.Mutator;
import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The published modules' sources with their compiled accesses. */
final class OrderingSources {
  /** Types whose accesses need no comment: each of their methods is named after its mode. */
  static final Set<String> EXEMPT = Set.of("Sequence", "MemorySequence");

  private OrderingSources() {}

  /** The units with accesses or pairs, by module and name. */
  static List<OrderingUnit> read(Path root) throws IOException {
    List<OrderingUnit> units = new ArrayList<>();
    for (String module : PublishedModules.NAMES) {
      Path classes = root.resolve(module).resolve("target/classes");
      Path sources = root.resolve(module).resolve("src/main/java");
      Map<Path, List<byte[]>> bySource = new TreeMap<>();
      for (Path source : PublishedModules.files(sources, ".java")) {
        if (!source.endsWith("package-info.java")
            && !source.endsWith("module-info.java")
            && !source.getParent().endsWith("snippet-files")) {
          bySource.put(source, new ArrayList<>());
        }
      }
      for (Path file :
          bySource.isEmpty() ? List.<Path>of() : PublishedModules.files(classes, ".class")) {
        byte[] bytes = Files.readAllBytes(file);
        ClassModel model = ClassFile.of().parse(bytes);
        model
            .findAttribute(Attributes.sourceFile())
            .map(
                attribute ->
                    sources
                        .resolve(classes.relativize(file))
                        .resolveSibling(attribute.sourceFile().stringValue()))
            .map(bySource::get)
            .ifPresent(found -> found.add(bytes));
      }
      for (Map.Entry<Path, List<byte[]>> entry : bySource.entrySet()) {
        if (entry.getValue().isEmpty()) {
          throw new IllegalStateException("source must be compiled: " + entry.getKey());
        }
        units.add(unit(entry.getKey(), entry.getValue()));
      }
    }
    return units.stream()
        .filter(unit -> !unit.sites().isEmpty() || !unit.table().pairs().isEmpty())
        .toList();
  }

  private static OrderingUnit unit(Path source, List<byte[]> classes) throws IOException {
    Mutator mutator = PublishedModules.mutator().withAssertedCode();
    List<AccessSite> sites = new ArrayList<>();
    Set<String> methods = new HashSet<>();
    for (byte[] bytes : classes) {
      sites.addAll(mutator.sites(bytes));
      ClassFile.of()
          .parse(bytes)
          .methods()
          .forEach(method -> methods.add(method.methodName().stringValue()));
    }
    sites.sort(Comparator.comparingInt(AccessSite::line).thenComparingInt(AccessSite::index));
    String file = source.getFileName().toString();
    return new OrderingUnit(
        file.substring(0, file.length() - ".java".length()),
        new SourceText(Files.readString(source)),
        sites,
        methods);
  }
}
