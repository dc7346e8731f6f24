package dev.millrace.stress.mutation;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The elements of a method's code, and what is known about the place of each. */
final class MethodCode {
  private final ClassModel owner;
  private final MethodModel method;
  private final CodeAttribute code;
  private final List<CodeElement> elements;
  private final int[] lines;
  private final boolean[] asserted;
  private final Set<Label> joints = new HashSet<>();

  private MethodCode(ClassModel owner, MethodModel method, CodeAttribute code) {
    this.owner = owner;
    this.method = method;
    this.code = code;
    this.elements = code.elementList();
    this.lines = new int[elements.size()];
    this.asserted = new boolean[elements.size()];
    findLines();
    findJoints();
    findAssertions();
  }

  /** The method's code, if it has any. */
  static Optional<MethodCode> of(ClassModel owner, MethodModel method) {
    return method.findAttribute(Attributes.code()).map(code -> new MethodCode(owner, method, code));
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

  private void findLines() {
    int line = 0;
    for (int i = 0; i < lines.length; i++) {
      if (elements.get(i) instanceof LineNumber number) {
        line = number.line();
      }
      lines[i] = line;
    }
  }

  private void findJoints() {
    for (CodeElement element : elements) {
      switch (element) {
        case BranchInstruction branch -> joints.add(branch.target());
        case LookupSwitchInstruction table -> {
          joints.add(table.defaultTarget());
          table.cases().stream().map(SwitchCase::target).forEach(joints::add);
        }
        case TableSwitchInstruction table -> {
          joints.add(table.defaultTarget());
          table.cases().stream().map(SwitchCase::target).forEach(joints::add);
        }
        case ExceptionCatch range -> {
          joints.add(range.tryStart());
          joints.add(range.tryEnd());
          joints.add(range.handler());
        }
        default -> {}
      }
    }
  }

  /** An assert statement reads the class's switch and, if it is off, jumps to the end. */
  private void findAssertions() {
    for (int i = 0; i < elements.size(); i++) {
      if (elements.get(i) instanceof FieldInstruction field
          && field.opcode() == Opcode.GETSTATIC
          && field.name().equalsString("$assertionsDisabled")
          && next(i) >= 0
          && elements.get(next(i)) instanceof BranchInstruction branch) {
        for (int k = i; k < elements.size() && !isTarget(k, branch.target()); k++) {
          asserted[k] = true;
        }
      }
    }
  }

  private boolean isTarget(int index, Label label) {
    return elements.get(index) instanceof LabelTarget target && target.label().equals(label);
  }
}
