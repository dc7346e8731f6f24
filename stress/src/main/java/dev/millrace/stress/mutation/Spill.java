package dev.millrace.stress.mutation;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.List;

/** Operands that are laid down in fresh local variables. */
final class Spill {
  private final List<TypeKind> kinds;
  private final int firstLocal;

  /**
   * Reserves the variables.
   *
   * @param kinds of the operands, the topmost last
   * @param firstLocal the first slot that is free
   */
  Spill(List<TypeKind> kinds, int firstLocal) {
    this.kinds = kinds;
    this.firstLocal = firstLocal;
  }

  /** The first slot that is free beside these. */
  int nextLocal() {
    return local(kinds.size());
  }

  /** Takes all operands from the stack. */
  void store(CodeBuilder builder) {
    for (int i = kinds.size() - 1; i >= 0; i--) {
      builder.storeLocal(kinds.get(i), local(i));
    }
  }

  /** Puts all of them back. */
  void load(CodeBuilder builder) {
    loadFirst(builder, kinds.size());
  }

  /** Puts back those that lay lowest. */
  void loadFirst(CodeBuilder builder, int count) {
    for (int i = 0; i < count; i++) {
      loadOne(builder, i);
    }
  }

  /** Puts back one. */
  void loadOne(CodeBuilder builder, int operand) {
    builder.loadLocal(kinds.get(operand), local(operand));
  }

  private int local(int operand) {
    return firstLocal + kinds.subList(0, operand).stream().mapToInt(TypeKind::slotSize).sum();
  }
}
