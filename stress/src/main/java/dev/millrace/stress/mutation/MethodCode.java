package dev.millrace.stress.mutation;

import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/** The elements of a method's code, its accesses, and what is known about the place of each. */
final class MethodCode {
  private static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");

  private final ClassModel owner;
  private final MethodModel method;
  private final CodeAttribute code;
  private final List<CodeElement> elements;
  private final Declarations declarations;
  private final int[] lines;
  private final boolean[] asserted;
  private final Set<Label> joints = new HashSet<>();
  private final SortedMap<Integer, AccessSite> sites;

  MethodCode(ClassModel owner, MethodModel method, CodeAttribute code, SiteFinder finder) {
    this.owner = owner;
    this.method = method;
    this.code = code;
    this.elements = code.elementList();
    this.declarations = finder.declarations();
    this.lines = new int[elements.size()];
    this.asserted = new boolean[elements.size()];
    int line = 0;
    for (int i = 0; i < lines.length; i++) {
      line = elements.get(i) instanceof LineNumber number ? number.line() : line;
      lines[i] = line;
      findJoints(elements.get(i));
      findAssertion(i);
    }
    this.sites = finder.sites(this);
  }

  ClassModel owner() {
    return owner;
  }

  MethodModel method() {
    return method;
  }

  CodeAttribute attribute() {
    return code;
  }

  Declarations declarations() {
    return declarations;
  }

  int size() {
    return elements.size();
  }

  CodeElement element(int index) {
    return elements.get(index);
  }

  /** The first slot of local variables that the method does not use. */
  int firstFreeLocal() {
    return code.maxLocals();
  }

  int line(int index) {
    return lines[index];
  }

  /** Whether the element is part of an assert statement. */
  boolean isAsserted(int index) {
    return asserted[index];
  }

  /** Whether control may come to the element, or leave there, otherwise than in a straight line. */
  boolean isJoint(int index) {
    return elements.get(index) instanceof LabelTarget target && joints.contains(target.label());
  }

  /** The index of the next instruction, or -1. */
  int next(int index) {
    for (int i = index + 1; i < elements.size(); i++) {
      if (elements.get(i) instanceof Instruction) {
        return i;
      }
    }
    return -1;
  }

  private void findJoints(CodeElement element) {
    switch (element) {
      case BranchInstruction branch -> joints.add(branch.target());
      case LookupSwitchInstruction table -> addJoints(table.defaultTarget(), table.cases());
      case TableSwitchInstruction table -> addJoints(table.defaultTarget(), table.cases());
      case ExceptionCatch range ->
          joints.addAll(List.of(range.tryStart(), range.tryEnd(), range.handler()));
      default -> {}
    }
  }

  private void addJoints(Label otherwise, List<SwitchCase> cases) {
    joints.add(otherwise);
    cases.forEach(one -> joints.add(one.target()));
  }

  /** An assert statement reads the class's switch and, if it is off, jumps to the end. */
  private void findAssertion(int index) {
    if (elements.get(index) instanceof FieldInstruction field
        && field.opcode() == Opcode.GETSTATIC
        && field.name().equalsString("$assertionsDisabled")
        && next(index) >= 0
        && elements.get(next(index)) instanceof BranchInstruction branch) {
      for (int i = index; i < elements.size() && !isTarget(i, branch.target()); i++) {
        asserted[i] = true;
      }
    }
  }

  private boolean isTarget(int index, Label label) {
    return elements.get(index) instanceof LabelTarget target && target.label().equals(label);
  }

  // ---- accesses ----

  Collection<AccessSite> sites() {
    return sites.values();
  }

  /** The access that an element is, if it is one. */
  Optional<AccessSite> site(int index) {
    return Optional.ofNullable(sites.get(index));
  }

  /** Whether an element writes what other threads may see, and leaves no result. */
  boolean isStore(int index) {
    CodeElement element = elements.get(index);
    if (element instanceof FieldInstruction field) {
      boolean put = field.opcode() == Opcode.PUTFIELD || field.opcode() == Opcode.PUTSTATIC;
      return put && !declarations.hasFlag(field.field(), AccessFlag.FINAL);
    }
    if (element instanceof InvokeInstruction call && call.owner().asSymbol().equals(SEGMENT)) {
      String name = call.name().stringValue();
      return call.typeSymbol().returnType().equals(ConstantDescs.CD_void)
          && (name.equals("copy") || name.startsWith("set"));
    }
    return site(index).filter(site -> site.operation() == AccessSite.Operation.WRITE).isPresent();
  }

  /** What a store or an access does, for readers. */
  String text(int index) {
    if (sites.containsKey(index)) {
      return sites.get(index).text();
    }
    return elements.get(index) instanceof InvokeInstruction call
        ? AccessSite.simpleName(call.owner().asSymbol()) + "." + call.name().stringValue()
        : ((FieldInstruction) elements.get(index)).name().stringValue() + " write";
  }

  /** The kinds of what a store or call takes from the stack, the topmost last. */
  List<TypeKind> operands(int index) {
    CodeElement element = elements.get(index);
    List<TypeKind> kinds = new ArrayList<>();
    Opcode opcode = ((Instruction) element).opcode();
    if (opcode != Opcode.INVOKESTATIC && opcode != Opcode.PUTSTATIC) {
      kinds.add(TypeKind.REFERENCE);
    }
    List<ClassDesc> types =
        element instanceof InvokeInstruction call
            ? call.typeSymbol().parameterList()
            : List.of(((FieldInstruction) element).typeSymbol());
    types.forEach(type -> kinds.add(TypeKind.from(type).asLoadable()));
    return kinds;
  }
}
