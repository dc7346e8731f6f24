package dev.millrace.stress.mutation;

import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.util.Locale;
import java.util.Map;

/** Turns a conditional jump round, so that it jumps when it must not, and only then. */
final class Negator implements Operator {
  private final boolean everywhere;

  /**
   * Makes the operator.
   *
   * @param everywhere whether also in methods without an ordering access
   */
  Negator(boolean everywhere) {
    this.everywhere = everywhere;
  }

  @Override
  public void plant(MethodSites method, int index, Sink sink) {
    if (method.code().element(index) instanceof BranchInstruction branch
        && branch.opcode() != Opcode.GOTO
        && branch.opcode() != Opcode.GOTO_W
        && (everywhere || !method.all().isEmpty())) {
      Edit edit = builder -> builder.branch(negated(branch.opcode()), branch.target());
      String text = branch.opcode().name().toLowerCase(Locale.ROOT);
      sink.plant(text, "negate", false, Map.of(index, edit));
    }
  }

  static Opcode negated(Opcode opcode) {
    return switch (opcode) {
      case IFEQ -> Opcode.IFNE;
      case IFNE -> Opcode.IFEQ;
      case IFLT -> Opcode.IFGE;
      case IFGE -> Opcode.IFLT;
      case IFGT -> Opcode.IFLE;
      case IFLE -> Opcode.IFGT;
      case IF_ICMPEQ -> Opcode.IF_ICMPNE;
      case IF_ICMPNE -> Opcode.IF_ICMPEQ;
      case IF_ICMPLT -> Opcode.IF_ICMPGE;
      case IF_ICMPGE -> Opcode.IF_ICMPLT;
      case IF_ICMPGT -> Opcode.IF_ICMPLE;
      case IF_ICMPLE -> Opcode.IF_ICMPGT;
      case IF_ACMPEQ -> Opcode.IF_ACMPNE;
      case IF_ACMPNE -> Opcode.IF_ACMPEQ;
      case IFNULL -> Opcode.IFNONNULL;
      case IFNONNULL -> Opcode.IFNULL;
      default -> throw new IllegalArgumentException("opcode must be conditional: " + opcode);
    };
  }
}
