package dev.millrace.stress.proof;

import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.Attribute;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.FieldBuilder;
import java.lang.classfile.FieldElement;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.ConstantValueAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Digests of what proofs run: of the class files that some classes lead to, by what their code
 * names, those of this project.
 *
 * <p>What counts of a class are its fields, methods and instructions, with their constants
 * resolved, and the annotations by which the simulator, the codecs and jcstress go. Debug
 * information, other annotations and string literals do not, so that a comment, a line that moves
 * or a message changes no digest. The literals of class initializers do count: they name fields and
 * layouts.
 */
final class Digests {
  private static final String PREFIX = "dev/millrace/";

  /** What says what was found decides nothing over it. */
  private static final String REPORT = PREFIX + "stress/report/";

  /** The annotations that decide over what a proof finds, by their descriptors. */
  private static final Pattern DECIDES =
      Pattern.compile("L(dev/millrace/(?!stress/)|org/openjdk/jcstress/).*");

  private static final int DIGITS = 12;
  private static final ClassFile CLASS_FILE =
      ClassFile.of(
          ClassFile.DebugElementsOption.DROP_DEBUG,
          ClassFile.LineNumbersOption.DROP_LINE_NUMBERS,
          ClassFile.StackMapsOption.DROP_STACK_MAPS,
          ClassFile.DeadCodeOption.KEEP_DEAD_CODE,
          ClassFile.ConstantPoolSharingOption.NEW_POOL);

  private final Code code;
  private final Map<String, Optional<Digested>> classes = new ConcurrentHashMap<>();

  /** A class's own digest and the classes that its code names, by their names with dots. */
  private record Digested(String own, Set<String> named) {}

  Digests(Code code) {
    this.code = code;
  }

  /**
   * A digest.
   *
   * @param roots the names of the classes to begin with
   * @param besides what else decides over the result, such as a tool's version
   * @return its first digits
   */
  String of(Collection<String> roots, String... besides) {
    MessageDigest digest = sha256();
    for (String name : reached(roots)) {
      digest.update(name.getBytes(StandardCharsets.UTF_8));
      digest.update(digested(name).orElseThrow().own().getBytes(StandardCharsets.UTF_8));
    }
    for (String one : besides) {
      digest.update(one.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
    }
    return HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS);
  }

  /** The classes of this project that some lead to, themselves included. */
  SortedSet<String> reached(Collection<String> roots) {
    SortedSet<String> reached = new TreeSet<>();
    Deque<String> next = new ArrayDeque<>(roots);
    while (!next.isEmpty()) {
      String name = next.pop();
      if (!reached.contains(name) && digested(name).isPresent()) {
        reached.add(name);
        next.addAll(digested(name).get().named());
      }
    }
    return reached;
  }

  private Optional<Digested> digested(String name) {
    return classes.computeIfAbsent(
        name, _ -> Optional.ofNullable(code.bytes(name)).map(Digests::read));
  }

  private static Digested read(byte[] bytes) {
    byte[] essence = essence(bytes);
    Set<String> named = new TreeSet<>();
    for (PoolEntry entry : ClassFile.of().parse(essence).constantPool()) {
      if (entry instanceof ClassEntry type) {
        String name = type.asInternalName().replaceFirst("^\\[+L(.*);$", "$1");
        if (name.startsWith(PREFIX) && !name.startsWith(REPORT)) {
          named.add(name.replace('/', '.'));
        }
      }
    }
    MessageDigest digest = sha256();
    digest.update(essence);
    digest.update(annotations(CLASS_FILE.parse(bytes)).getBytes(StandardCharsets.UTF_8));
    return new Digested(HexFormat.of().formatHex(digest.digest()), named);
  }

  /** The annotations that count, each behind the class or member that has it. */
  private static String annotations(ClassModel type) {
    return Stream.of(
            Stream.of(annotations("", type)),
            type.fields().stream().map(one -> annotations(one.fieldName().stringValue(), one)),
            type.methods().stream()
                .map(one -> annotations(one.methodName() + " " + one.methodType(), one)))
        .flatMap(texts -> texts)
        .collect(Collectors.joining());
  }

  private static String annotations(String name, AttributedElement member) {
    return Stream.concat(
            member.findAttribute(Attributes.runtimeVisibleAnnotations()).stream()
                .flatMap(found -> found.annotations().stream()),
            member.findAttribute(Attributes.runtimeInvisibleAnnotations()).stream()
                .flatMap(found -> found.annotations().stream()))
        .filter(one -> DECIDES.matcher(one.className().stringValue()).matches())
        .map(one -> name + Annotation.of(one.className(), withoutWords(one)))
        .collect(Collectors.joining());
  }

  /** The values of an annotation but for the words of a report. */
  private static List<AnnotationElement> withoutWords(Annotation annotation) {
    return annotation.elements().stream().filter(one -> !one.name().equalsString("desc")).toList();
  }

  /** A class file that is left with what counts of one. */
  private static byte[] essence(byte[] bytes) {
    return CLASS_FILE.transformClass(
        CLASS_FILE.parse(bytes),
        (type, element) -> {
          switch (element) {
            case FieldModel field -> type.transformField(field, Digests::keepField);
            case MethodModel method ->
                type.transformMethod(
                    method,
                    (to, part) -> {
                      if (part instanceof CodeModel code) {
                        boolean keeps = method.methodName().equalsString("<clinit>");
                        to.transformCode(
                            code, keeps ? CodeTransform.ACCEPT_ALL : Digests::hideLiterals);
                      } else if (!(part instanceof Attribute<?>)) {
                        to.with(part);
                      }
                    });
            case Attribute<?> _ -> {}
            default -> type.with(element);
          }
        });
  }

  private static void keepField(FieldBuilder to, FieldElement part) {
    if (part instanceof ConstantValueAttribute value
        ? !(value.constant() instanceof StringEntry)
        : !(part instanceof Attribute<?>)) {
      to.with(part);
    }
  }

  private static void hideLiterals(CodeBuilder to, CodeElement element) {
    switch (element) {
      case ConstantInstruction loaded -> to.loadConstant(hidden(loaded.constantValue()));
      case InvokeDynamicInstruction call ->
          to.invokedynamic(
              DynamicCallSiteDesc.of(
                  call.bootstrapMethod(),
                  call.name().stringValue(),
                  call.typeSymbol(),
                  call.bootstrapArgs().stream().map(Digests::hidden).toArray(ConstantDesc[]::new)));
      default -> to.with(element);
    }
  }

  private static ConstantDesc hidden(ConstantDesc constant) {
    return constant instanceof String ? "a string" : constant;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
