package dev.millrace.stress.proof;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Digests of what proofs run: of the class files that some classes lead to, by what their code
 * names, those of this project.
 *
 * <p>What counts of a class are its fields, methods and instructions, with their constants
 * resolved. Debug information, annotations and string literals do not, so that a comment, a line
 * that moves or a message changes no digest. The literals of class initializers do count: they name
 * fields and layouts.
 */
final class Digests {
  private static final String PREFIX = "dev/millrace/";
  private static final int DIGITS = 12;

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
        name, _ -> Optional.ofNullable(code.bytes(name)).map(bytes -> new Reader().read(bytes)));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads one class file. */
  private static final class Reader {
    private final StringBuilder text = new StringBuilder();
    private final Set<String> named = new TreeSet<>();
    private boolean literalsCount;

    Digested read(byte[] bytes) {
      ClassModel model = ClassFile.of().parse(bytes);
      add(model.flags().flagsMask());
      name(model.thisClass());
      model.superclass().ifPresent(this::name);
      model.interfaces().forEach(this::name);
      for (FieldModel field : model.fields()) {
        add(field.flags().flagsMask(), field.fieldName(), field.fieldType());
        field
            .findAttribute(Attributes.constantValue())
            .ifPresent(value -> constant(value.constant().constantValue()));
      }
      for (MethodModel method : model.methods()) {
        add(method.flags().flagsMask(), method.methodName(), method.methodType());
        literalsCount = method.methodName().equalsString("<clinit>");
        method.code().ifPresent(this::code);
      }
      byte[] own = sha256().digest(text.toString().getBytes(StandardCharsets.UTF_8));
      return new Digested(HexFormat.of().formatHex(own), Set.copyOf(named));
    }

    private void code(CodeModel code) {
      Map<Label, Integer> places = new HashMap<>();
      int place = 0;
      for (CodeElement element : code) {
        if (element instanceof LabelTarget target) {
          places.put(target.label(), place);
        } else if (element instanceof Instruction) {
          place++;
        }
      }
      for (ExceptionCatch handler : code.exceptionHandlers()) {
        add(
            places.get(handler.tryStart()),
            places.get(handler.tryEnd()),
            places.get(handler.handler()));
        handler.catchType().ifPresent(this::name);
      }
      for (CodeElement element : code) {
        if (element instanceof Instruction instruction) {
          instruction(instruction, places);
        }
      }
    }

    private void instruction(Instruction instruction, Map<Label, Integer> places) {
      add(instruction.opcode());
      switch (instruction) {
        case LoadInstruction load -> add(load.slot());
        case StoreInstruction store -> add(store.slot());
        case IncrementInstruction increment -> add(increment.slot(), increment.constant());
        case BranchInstruction branch -> add(places.get(branch.target()));
        case ConstantInstruction loaded -> constant(loaded.constantValue());
        case FieldInstruction field -> {
          name(field.owner());
          add(field.name(), field.type());
        }
        case InvokeInstruction call -> {
          name(call.owner());
          add(call.name(), call.type());
        }
        case InvokeDynamicInstruction call -> {
          add(call.name(), call.type());
          constant(call.bootstrapMethod());
          call.bootstrapArgs().forEach(this::constant);
        }
        case NewObjectInstruction made -> name(made.className());
        case NewReferenceArrayInstruction made -> name(made.componentType());
        case NewPrimitiveArrayInstruction made -> add(made.typeKind());
        case NewMultiArrayInstruction made -> {
          name(made.arrayType());
          add(made.dimensions());
        }
        case TypeCheckInstruction check -> name(check.type());
        case TableSwitchInstruction table ->
            cases(places.get(table.defaultTarget()), table.cases(), places);
        case LookupSwitchInstruction lookup ->
            cases(places.get(lookup.defaultTarget()), lookup.cases(), places);
        default -> {} // the opcode says it all
      }
    }

    private void cases(int otherwise, List<SwitchCase> cases, Map<Label, Integer> places) {
      add(otherwise);
      for (SwitchCase one : cases) {
        add(one.caseValue(), places.get(one.target()));
      }
    }

    private void constant(ConstantDesc constant) {
      switch (constant) {
        case String literal -> add(literalsCount ? literal : "a string");
        case ClassDesc type -> name(type.descriptorString());
        case DirectMethodHandleDesc handle -> {
          add(handle.kind(), handle.methodName(), handle.lookupDescriptor());
          name(handle.owner().descriptorString());
        }
        case DynamicConstantDesc<?> dynamic -> {
          add(dynamic.constantName(), dynamic.constantType().descriptorString());
          constant(dynamic.bootstrapMethod());
          dynamic.bootstrapArgsList().forEach(this::constant);
        }
        default -> add(constant);
      }
    }

    private void name(ClassEntry type) {
      name(type.asSymbol().descriptorString());
    }

    /** Notes a class by its descriptor; of an array, that of its elements. */
    private void name(String descriptor) {
      add(descriptor);
      String element = descriptor.substring(descriptor.lastIndexOf('[') + 1);
      if (element.startsWith("L" + PREFIX)) {
        named.add(element.substring(1, element.length() - 1).replace('/', '.'));
      }
    }

    private void add(Object... parts) {
      for (Object part : parts) {
        text.append(part instanceof Utf8Entry name ? name.stringValue() : part).append(' ');
      }
    }
  }
}
