package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.doctree.ReturnTree;
import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.Tree.Kind;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds an exported package of a published module that is not {@code @NullMarked}, and a public
 * method whose Javadoc and annotations disagree over null: a result or parameter that may be null
 * by one of them and not by the other. NullAway, which runs with {@code -Plint}, compares
 * annotations with code. Together they find a method that returns null and does not say so.
 */
class NullnessTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern EXPORTED = Pattern.compile("exports ([\\w.]+);");
  private static final Pattern NULL = Pattern.compile("\\bnull\\b");
  private static final Pattern NEVER_NULL = Pattern.compile("never null|not (be )?null");

  static Stream<String> modules() {
    return Stream.concat(PublishedModules.NAMES.stream(), Stream.of("telemetry/micrometer"));
  }

  @ParameterizedTest
  @MethodSource("modules")
  void exportedPackages_ofModule_areNullMarked(String module) throws IOException {
    Path sources = ROOT.resolve(module, "src", "main", "java");
    List<String> packages =
        EXPORTED
            .matcher(Files.readString(sources.resolve("module-info.java")))
            .results()
            .map(exports -> exports.group(1).replace('.', '/'))
            .toList();
    assertThat(packages).isNotEmpty();
    for (String name : packages) {
      Path source = sources.resolve(name, "package-info.java");
      assertThat(Files.readString(source)).as("%s", source).contains("\n@NullMarked\npackage ");
    }
  }

  @ParameterizedTest
  @MethodSource("modules")
  void publicMethods_ofModule_sayWhereNullIsAllowed_inJavadocAndAnnotations(String module)
      throws IOException {
    List<String> faults = new ArrayList<>();
    for (Path source : sources(module)) {
      if (!source.toString().contains("internal")) {
        faults.addAll(faults(source.getFileName().toString(), Files.readString(source)));
      }
    }
    assertThat(faults).isEmpty();
  }

  @Test
  void faults_plantedInASource_areFound() throws IOException {
    String planted =
        """
        package planted;

        public interface Planted<T, A extends @Nullable Object> {
          /** @return the view, or null if there is none */
          T tryPoll();

          /** @return the view */
          @Nullable T poll();

          /** {@return the bytes, or null} */
          byte[] bytes();

          /**
           * @param loader makes the value
           * @param name the name, or null for none
           */
          void load(Function<String, @Nullable T> loader, String name);

          /** @param path the path, or null */
          record Place(String path) {}

          /**
           * @param loader makes the value, or returns null
           * @param name the name, which must not be null
           * @return the view, never null
           */
          T right(Function<String, @Nullable T> loader, String name);

          /** @param argument the argument, or null for none */
          void write(A argument);

          /** @return the bytes, or null */
          byte @Nullable [] alsoRight();
        }

        class NotPublic {
          /** @return the view, or null if there is none */
          public Object tryPoll();
        }
        """;
    assertThat(faults("Planted.java", planted))
        .containsExactly(
            "Planted.java: tryPoll returns null by its Javadoc only",
            "Planted.java: poll returns null by its annotation only",
            "Planted.java: bytes returns null by its Javadoc only",
            "Planted.java: load takes null as loader by its annotation only",
            "Planted.java: load takes null as name by its Javadoc only",
            "Planted.java: Place takes null as path by its Javadoc only");
  }

  private static List<Path> sources(String module) throws IOException {
    return PublishedModules.files(ROOT.resolve(module, "src", "main", "java"), ".java").stream()
        .filter(source -> !source.endsWith("module-info.java"))
        .filter(source -> !source.getParent().endsWith("snippet-files"))
        .toList();
  }

  /** Where Javadoc and annotations of the public methods and records of a source disagree. */
  private static List<String> faults(String file, String text) throws IOException {
    JavaFileObject source =
        new SimpleJavaFileObject(URI.create("string:///" + file), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
          }
        };
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, List.of("-proc:none"), null, List.of(source));
    List<String> faults = new ArrayList<>();
    for (CompilationUnitTree unit : task.parse()) {
      new Comparison(DocTrees.instance(task), file, faults).scan(unit, null);
    }
    return faults;
  }

  /** Goes through what is public in a source. Overrides without a comment are left to NullAway. */
  private static final class Comparison extends TreePathScanner<Void, Void> {
    private final DocTrees trees;
    private final String file;
    private final List<String> faults;
    private final Set<String> variablesThatAdmitNull = new HashSet<>();

    Comparison(DocTrees trees, String file, List<String> faults) {
      this.trees = trees;
      this.file = file;
      this.faults = faults;
    }

    @Override
    public Void visitClass(ClassTree type, Void unused) {
      if (!isPublic(type.getModifiers())) {
        return null;
      }
      type.getTypeParameters().stream()
          .filter(variable -> variable.getBounds().toString().contains("Nullable"))
          .forEach(variable -> variablesThatAdmitNull.add(variable.getName().toString()));
      if (type.getKind() == Kind.RECORD) {
        List<VariableTree> components =
            type.getMembers().stream()
                .filter(VariableTree.class::isInstance)
                .map(VariableTree.class::cast)
                .filter(one -> !one.getModifiers().getFlags().contains(Modifier.STATIC))
                .toList();
        compareParameters(type.getSimpleName().toString(), components);
      }
      return super.visitClass(type, null);
    }

    @Override
    public Void visitMethod(MethodTree method, Void unused) {
      DocCommentTree comment = trees.getDocCommentTree(getCurrentPath());
      if (comment != null && isPublic(method.getModifiers())) {
        String name = method.getName().toString();
        if (method.getReturnType() != null) {
          compare(
              name + " returns null",
              tags(comment)
                  .filter(ReturnTree.class::isInstance)
                  .anyMatch(tag -> saysNull(((ReturnTree) tag).getDescription())),
              isNullable(method.getModifiers(), method.getReturnType()));
        }
        compareParameters(name, method.getParameters());
      }
      return null;
    }

    private void compareParameters(String name, List<? extends VariableTree> parameters) {
      DocCommentTree comment = trees.getDocCommentTree(getCurrentPath());
      Map<String, List<? extends DocTree>> descriptions =
          tags(comment)
              .filter(ParamTree.class::isInstance)
              .map(ParamTree.class::cast)
              .filter(tag -> !tag.isTypeParameter())
              .collect(
                  Collectors.toMap(tag -> tag.getName().toString(), ParamTree::getDescription));
      for (VariableTree parameter : parameters) {
        String its = parameter.getName().toString();
        if (!variablesThatAdmitNull.contains(parameter.getType().toString())) {
          compare(
              name + " takes null as " + its,
              saysNull(descriptions.getOrDefault(its, List.of())),
              isNullable(parameter.getModifiers(), parameter.getType()));
        }
      }
    }

    private void compare(String what, boolean isDocumented, boolean isAnnotated) {
      if (isDocumented != isAnnotated) {
        String by = isDocumented ? " by its Javadoc only" : " by its annotation only";
        faults.add(file + ": " + what + by);
      }
    }

    private static Stream<DocTree> tags(DocCommentTree comment) {
      return comment == null
          ? Stream.of()
          : Stream.concat(comment.getFullBody().stream(), comment.getBlockTags().stream());
    }

    private static boolean saysNull(List<? extends DocTree> description) {
      String words = description.stream().map(DocTree::toString).collect(Collectors.joining());
      return NULL.matcher(NEVER_NULL.matcher(words).replaceAll("")).find();
    }

    /** Whether a type is nullable, or a function of something that is. */
    private static boolean isNullable(ModifiersTree modifiers, Tree type) {
      return Stream.concat(
              modifiers.getAnnotations().stream().map(AnnotationTree::getAnnotationType),
              Stream.of(type))
          .anyMatch(tree -> tree.toString().contains("Nullable"));
    }

    /** Whether what is at the current path is public, or a member of a public interface. */
    private boolean isPublic(ModifiersTree modifiers) {
      TreePath owner = getCurrentPath().getParentPath();
      return modifiers.getFlags().contains(Modifier.PUBLIC)
          || (owner.getLeaf().getKind() == Kind.INTERFACE
              && !modifiers.getFlags().contains(Modifier.PRIVATE));
    }
  }
}
