package dev.millrace.stress.mutation;

import dev.millrace.stress.mutation.AccessSite.Operation;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.util.List;
import java.util.Map;

/** Leaves out a store, or an update whose result nobody looks at; the operands are evaluated. */
final class Dropper implements Operator {
  @Override
  public void plant(MethodSites method, int index, Sink sink) {
    if (method.isStore(index) || isBlindUpdate(method, index)) {
      CodeElement element = method.code().element(index);
      List<TypeKind> operands = method.operands(index);
      Edit edit =
          builder -> {
            operands.reversed().forEach(kind -> pop(builder, kind));
            if (element instanceof InvokeInstruction call) {
              zero(builder, TypeKind.from(call.typeSymbol().returnType()).asLoadable());
            }
          };
      sink.plant(method.text(index), "drop", false, Map.of(index, edit));
    }
  }

  /** Whether an element updates, and the next one throws the result away. */
  private static boolean isBlindUpdate(MethodSites method, int index) {
    if (method.at(index).filter(site -> site.operation() == Operation.UPDATE).isEmpty()) {
      return false;
    }
    InvokeInstruction call = (InvokeInstruction) method.code().element(index);
    int next = method.code().next(index);
    return TypeKind.from(call.typeSymbol().returnType()) == TypeKind.VOID
        || (next >= 0
            && method.code().element(next) instanceof StackInstruction stack
            && (stack.opcode() == Opcode.POP || stack.opcode() == Opcode.POP2));
  }

  private static void pop(CodeBuilder builder, TypeKind kind) {
    if (kind.slotSize() == 2) {
      builder.pop2();
    } else {
      builder.pop();
    }
  }

  private static void zero(CodeBuilder builder, TypeKind kind) {
    switch (kind) {
      case INT -> builder.iconst_0();
      case LONG -> builder.lconst_0();
      case FLOAT -> builder.fconst_0();
      case DOUBLE -> builder.dconst_0();
      case REFERENCE -> builder.aconst_null();
      default -> {} // no result
    }
  }
}
