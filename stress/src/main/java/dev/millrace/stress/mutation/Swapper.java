package dev.millrace.stress.mutation;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.NopInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Swaps two stores that follow each other, with nothing but the loading of operands in between.
 *
 * <p>The operands of the first are laid down in local variables. Those of the second are loaded
 * then, which must not read what the first would have written: an access in a mode never counts as
 * loading, nor does a read of the very field, nor a call of a method that does more than read.
 */
final class Swapper implements Operator {
  @Override
  public void plant(MethodCode method, int index, Sink sink) {
    if (!method.isStore(index)) {
      return;
    }
    int second = following(method, index);
    if (second < 0) {
      return;
    }
    CodeElement former = method.element(index);
    CodeElement latter = method.element(second);
    List<TypeKind> operands = method.operands(index);
    int firstLocal = method.firstFreeLocal();
    Consumer<CodeBuilder> store =
        builder -> {
          for (int i = operands.size() - 1; i >= 0; i--) {
            builder.storeLocal(operands.get(i), firstLocal + 2 * i);
          }
        };
    Consumer<CodeBuilder> both =
        builder -> {
          builder.with(latter);
          for (int i = 0; i < operands.size(); i++) {
            builder.loadLocal(operands.get(i), firstLocal + 2 * i);
          }
          builder.with(former);
        };
    String operator = "swap with " + method.text(second);
    sink.plant(method.text(index), operator, false, Map.of(index, store, second, both));
  }

  /** The store that follows, or -1. */
  private static int following(MethodCode method, int first) {
    for (int i = first + 1; i < method.size(); i++) {
      CodeElement element = method.element(i);
      if (method.isStore(i)) {
        return i;
      }
      if (method.isJoint(i)
          || method.isAsserted(i)
          || (element instanceof Instruction one && !isLoading(method, first, i, one))) {
        return -1;
      }
    }
    return -1;
  }

  private static boolean isLoading(MethodCode method, int first, int index, Instruction one) {
    CodeElement store = method.element(first);
    return switch (one) {
      case Instruction access when method.site(index).isPresent() -> false;
      case FieldInstruction field -> isReadOfAnother(field, store);
      case InvokeInstruction call -> isPure(method, call, store);
      default -> isQuiet(one);
    };
  }

  /** Whether the called method does nothing but calculate from arguments and other fields. */
  private static boolean isPure(MethodCode method, InvokeInstruction call, CodeElement store) {
    String owner = call.owner().asInternalName();
    return method
        .declarations()
        .method(owner, call.name().stringValue(), call.type().stringValue())
        .flatMap(MethodModel::code)
        .filter(code -> code.elementStream().allMatch(element -> isPure(element, store)))
        .isPresent();
  }

  private static boolean isPure(CodeElement element, CodeElement store) {
    return switch (element) {
      case ReturnInstruction _ -> true;
      case FieldInstruction field -> isReadOfAnother(field, store);
      case Instruction one -> isQuiet(one);
      default -> true; // no instruction
    };
  }

  private static boolean isReadOfAnother(FieldInstruction field, CodeElement store) {
    boolean read = field.opcode() == Opcode.GETFIELD || field.opcode() == Opcode.GETSTATIC;
    return read
        && !(store instanceof FieldInstruction written
            && written.name().equalsString(field.name().stringValue()));
  }

  private static boolean isQuiet(Instruction one) {
    return switch (one) {
      case LoadInstruction _,
          StoreInstruction _,
          IncrementInstruction _,
          ConstantInstruction _,
          ConvertInstruction _,
          OperatorInstruction _,
          TypeCheckInstruction _,
          NopInstruction _ ->
          true;
      default -> false;
    };
  }
}
