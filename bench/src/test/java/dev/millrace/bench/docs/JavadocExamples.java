package dev.millrace.bench.docs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.instruction.LineNumber;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * The examples of one package's Javadoc. They are regions of the classes in its folder {@code
 * snippet-files}, where javadoc and IDEs look, and which a sources jar carries.
 *
 * <p>The classes are compiled with all warnings and loaded with a probe at each line. Then each
 * method without parameters that is neither private nor static is run, on an object of its own,
 * with assertions enabled.
 */
public final class JavadocExamples {
  private static final String FOLDER = "snippet-files";
  private static final Pattern TAG = Pattern.compile("\\{@snippet\\b([^}]*)}");
  private static final Pattern EXTERNAL =
      Pattern.compile("\\s+file=\"(\\w+\\.java)\"\\s+region=\"([\\w-]+)\"\\s*");
  private static final Pattern START = Pattern.compile("\\s*// @start region=\"([\\w-]+)\"");
  private static final Pattern END = Pattern.compile("\\s*// @end");

  /** The lines that ran, as {@code File.java:12}. */
  private static final Set<String> RAN = ConcurrentHashMap.newKeySet();

  private final Path folder;
  private final List<String> faults = new ArrayList<>();

  private JavadocExamples(Path packageFolder) {
    folder = packageFolder;
  }

  /** Called by the probes. */
  public static void ran(String line) {
    RAN.add(line);
  }

  /** The folders below that have sources or examples of a package. */
  static List<Path> packages(Path sources) throws IOException {
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .map(Path::getParent)
          .map(parent -> parent.endsWith(FOLDER) ? parent.getParent() : parent)
          .distinct()
          .sorted()
          .toList();
    }
  }

  /**
   * Runs a package's examples.
   *
   * @param packageFolder its sources
   * @param classes an empty folder, for what is compiled
   * @return each tag that shows something else than a region, each region that no tag shows, each
   *     line of a region that did not run, and each example that does not compile or has failed
   */
  static List<String> faults(Path packageFolder, Path classes) throws Exception {
    JavadocExamples examples = new JavadocExamples(packageFolder);
    Set<String> shown = examples.shown();
    if (Files.isDirectory(packageFolder.resolve(FOLDER))) {
      examples.check(shown, classes);
    } else if (!shown.isEmpty()) {
      examples.faults.add("no folder " + FOLDER + ": " + shown);
    }
    return examples.faults;
  }

  /** What the tags of the package show, as {@code File.java#region}. */
  private Set<String> shown() throws IOException {
    Set<String> shown = new TreeSet<>();
    for (Path source : sources(folder)) {
      for (MatchResult tag : TAG.matcher(Files.readString(source)).results().toList()) {
        Matcher external = EXTERNAL.matcher(tag.group(1));
        if (external.matches()) {
          shown.add(external.group(1) + "#" + external.group(2));
        } else {
          faults.add(source.getFileName() + ": not a region of a file: " + tag.group());
        }
      }
    }
    return shown;
  }

  private void check(Set<String> shown, Path classes) throws Exception {
    List<Path> files = sources(folder.resolve(FOLDER));
    SortedSet<String> regions = new TreeSet<>();
    SortedSet<String> lines = new TreeSet<>();
    for (Path file : files) {
      read(file, regions, lines);
    }
    missing("no such region", shown, regions);
    missing("shown nowhere", regions, shown);

    if (compile(files, classes)) {
      Probes loader = new Probes(classes);
      try (loader) {
        RAN.clear();
        for (Path file : files) {
          run(loader.loadClass(file.getFileName().toString().replace(".java", "")));
        }
      }
      lines.retainAll(loader.code());
      missing("not run", lines, RAN);
    }
  }

  /** Finds the regions of a file, and the lines that are in one. */
  private void read(Path file, Set<String> regions, Set<String> inRegions) throws IOException {
    String name = file.getFileName().toString();
    String region = null;
    List<String> lines = Files.readAllLines(file);
    for (int i = 0; i < lines.size(); i++) {
      Matcher start = START.matcher(lines.get(i));
      if (start.matches()) {
        region = name + "#" + start.group(1);
        if (!regions.add(region)) {
          faults.add("twice: " + region);
        }
      } else if (END.matcher(lines.get(i)).matches()) {
        region = null;
      } else if (region != null) {
        inRegions.add(name + ":" + (i + 1));
      }
    }
  }

  private boolean compile(List<Path> files, Path classes) {
    List<String> arguments =
        new ArrayList<>(
            List.of("-Xlint:all,-path", "-Werror", "-proc:none", "-d", classes.toString()));
    arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
    files.forEach(file -> arguments.add(file.toString()));
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, messages, messages, arguments.toArray(String[]::new));
    if (code != 0) {
      faults.add("does not compile: " + messages.toString(StandardCharsets.UTF_8));
    }
    return code == 0;
  }

  private void run(Class<?> type) throws ReflectiveOperationException {
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    Method[] methods = type.getDeclaredMethods();
    Arrays.sort(methods, Comparator.comparing(Method::getName));
    for (Method method : methods) {
      int modifiers = method.getModifiers();
      if (method.getParameterCount() == 0
          && !Modifier.isPrivate(modifiers)
          && !Modifier.isStatic(modifiers)) {
        method.setAccessible(true);
        try {
          Object _ = method.invoke(constructor.newInstance());
        } catch (InvocationTargetException e) {
          String stack =
              Stream.of(e.getCause().getStackTrace())
                  .map(StackTraceElement::toString)
                  .collect(Collectors.joining("\n  "));
          faults.add(method.getName() + " failed: " + e.getCause() + "\n  " + stack);
        }
      }
    }
  }

  /** Notes those of the one set that are not in the other. */
  private void missing(String fault, Set<String> wanted, Set<String> found) {
    for (String each : wanted) {
      if (!found.contains(each)) {
        faults.add(fault + ": " + each);
      }
    }
  }

  private static List<Path> sources(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
  }

  /** Loads compiled examples with a call of {@link #ran} at the beginning of each line. */
  private static final class Probes extends URLClassLoader {
    private static final ClassDesc EXAMPLES = ClassDesc.of(JavadocExamples.class.getName());
    private static final MethodTypeDesc RAN_TYPE =
        MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);

    private final Path classes;
    private final ClassFile format =
        ClassFile.of(
            ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(this)));

    Probes(Path classes) throws IOException {
      super(new URL[] {classes.toUri().toURL()}, JavadocExamples.class.getClassLoader());
      this.classes = classes;
      setDefaultAssertionStatus(true);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      try {
        byte[] bytes = probed(Files.readAllBytes(classes.resolve(name + ".class")));
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }

    private byte[] probed(byte[] bytes) {
      ClassModel type = format.parse(bytes);
      String source = source(type);
      return format.transformClass(
          type,
          ClassTransform.transformingMethodBodies(
              (code, element) -> {
                code.with(element);
                if (element instanceof LineNumber line) {
                  code.loadConstant(source + ":" + line.line());
                  code.invokestatic(EXAMPLES, "ran", RAN_TYPE);
                }
              }));
    }

    private static String source(ClassModel type) {
      return type.findAttribute(Attributes.sourceFile()).orElseThrow().sourceFile().stringValue();
    }

    /** The lines that have code, loaded or not. */
    Set<String> code() throws IOException {
      Set<String> lines = new HashSet<>();
      try (Stream<Path> files = Files.list(classes)) {
        for (Path file : files.toList()) {
          ClassModel type = format.parse(file);
          type.methods().stream()
              .flatMap(method -> method.code().stream())
              .flatMap(code -> code.elementStream())
              .forEach(
                  element -> {
                    if (element instanceof LineNumber line) {
                      lines.add(source(type) + ":" + line.line());
                    }
                  });
        }
      }
      return lines;
    }
  }
}
