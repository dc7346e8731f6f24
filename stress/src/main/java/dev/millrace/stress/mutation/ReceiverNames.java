package dev.millrace.stress.mutation;

import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LocalVariable;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * On what each call is made: the field or variable that its receiver was loaded from. The operand
 * stack is followed once through the code, with names in place of values.
 */
final class ReceiverNames {
  private static final String NAMELESS = "";

  private final MethodCode code;
  private final String[] receivers;
  private final Map<Label, List<String>> jumps = new HashMap<>();
  private final List<LocalVariable> variables = new ArrayList<>();
  private List<String> stack = new ArrayList<>(); // a name per slot: a long has two
  private boolean reachable = true;
  private int bci;

  ReceiverNames(MethodCode code) {
    this.code = code;
    this.receivers = new String[code.size()];
    for (int i = 0; i < code.size(); i++) {
      switch (code.element(i)) {
        case ExceptionCatch range -> jumps.put(range.handler(), List.of(NAMELESS));
        case LocalVariable variable -> variables.add(variable);
        default -> {}
      }
    }
    for (int i = 0; i < code.size(); i++) {
      CodeElement element = code.element(i);
      if (element instanceof LabelTarget target) {
        arrive(target.label());
      } else if (element instanceof Instruction instruction) {
        step(i, instruction);
        bci += instruction.sizeInBytes();
      }
    }
  }

  /** The name of the receiver of the call at an index, if it has a name. */
  Optional<String> receiver(int index) {
    return Optional.ofNullable(receivers[index]).filter(name -> !name.equals(NAMELESS));
  }

  private void arrive(Label label) {
    List<String> arriving = jumps.get(label);
    if (!reachable) {
      stack = arriving == null ? new ArrayList<>() : new ArrayList<>(arriving);
      reachable = true;
    }
  }

  private void step(int index, Instruction instruction) {
    switch (instruction) {
      case LoadInstruction load -> push(load.typeKind(), variable(load.slot()));
      case StoreInstruction store -> pop(store.typeKind());
      case ConstantInstruction constant -> push(constant.typeKind(), NAMELESS);
      case FieldInstruction field -> access(field);
      case InvokeInstruction call -> {
        popParameters(call.typeSymbol());
        if (call.opcode() != Opcode.INVOKESTATIC) {
          receivers[index] = stack.isEmpty() ? NAMELESS : stack.removeLast();
        }
        push(TypeKind.from(call.typeSymbol().returnType()), NAMELESS);
      }
      case InvokeDynamicInstruction call -> {
        popParameters(call.typeSymbol());
        push(TypeKind.from(call.typeSymbol().returnType()), NAMELESS);
      }
      case NewObjectInstruction _ -> push(TypeKind.REFERENCE, NAMELESS);
      case NewMultiArrayInstruction array -> {
        drop(array.dimensions());
        push(TypeKind.REFERENCE, NAMELESS);
      }
      case ArrayLoadInstruction load -> {
        drop(2);
        push(load.typeKind(), NAMELESS);
      }
      case ArrayStoreInstruction store -> {
        pop(store.typeKind());
        drop(2);
      }
      case ConvertInstruction convert -> {
        pop(convert.fromType());
        push(convert.toType(), NAMELESS);
      }
      case OperatorInstruction operator -> operate(operator);
      case BranchInstruction branch -> branch(branch);
      case LookupSwitchInstruction table -> choose(table.defaultTarget(), table.cases());
      case TableSwitchInstruction table -> choose(table.defaultTarget(), table.cases());
      case ReturnInstruction _, ThrowInstruction _ -> reachable = false;
      case MonitorInstruction _ -> drop(1);
      case StackInstruction shuffle -> shuffle(shuffle.opcode());
      default -> {} // new arrays and type checks leave as many slots as they take
    }
  }

  private String variable(int slot) {
    for (LocalVariable variable : variables) {
      if (variable.slot() == slot
          && code.attribute().labelToBci(variable.startScope()) <= bci
          && bci < code.attribute().labelToBci(variable.endScope())) {
        return variable.name().stringValue();
      }
    }
    return NAMELESS;
  }

  private void access(FieldInstruction field) {
    TypeKind kind = TypeKind.from(field.typeSymbol());
    boolean get = field.opcode() == Opcode.GETFIELD || field.opcode() == Opcode.GETSTATIC;
    drop(get ? 0 : kind.slotSize());
    drop(field.opcode() == Opcode.GETFIELD || field.opcode() == Opcode.PUTFIELD ? 1 : 0);
    if (get) {
      push(kind, field.name().stringValue());
    }
  }

  private void popParameters(MethodTypeDesc type) {
    type.parameterList().forEach(parameter -> pop(TypeKind.from(parameter)));
  }

  private void operate(OperatorInstruction operator) {
    switch (operator.opcode()) {
      case INEG, LNEG, FNEG, DNEG, ARRAYLENGTH -> {}
      case LCMP, FCMPL, FCMPG, DCMPL, DCMPG -> {
        drop(2 * operator.typeKind().slotSize());
        push(TypeKind.INT, NAMELESS);
      }
      case LSHL, LSHR, LUSHR -> drop(1); // the distance is an int
      default -> pop(operator.typeKind());
    }
  }

  private void branch(BranchInstruction branch) {
    switch (branch.opcode()) {
      case GOTO, GOTO_W -> reachable = false;
      case IF_ICMPEQ, IF_ICMPNE, IF_ICMPLT, IF_ICMPGE, IF_ICMPGT, IF_ICMPLE, IF_ACMPEQ, IF_ACMPNE ->
          drop(2);
      default -> drop(1);
    }
    jumps.putIfAbsent(branch.target(), List.copyOf(stack));
  }

  private void choose(Label otherwise, List<SwitchCase> cases) {
    drop(1);
    jumps.putIfAbsent(otherwise, List.copyOf(stack));
    cases.forEach(one -> jumps.putIfAbsent(one.target(), List.copyOf(stack)));
    reachable = false;
  }

  private void shuffle(Opcode opcode) {
    switch (opcode) {
      case POP -> drop(1);
      case POP2 -> drop(2);
      case DUP -> insertCopy(1, 1);
      case DUP_X1 -> insertCopy(1, 2);
      case DUP_X2 -> insertCopy(1, 3);
      case DUP2 -> insertCopy(2, 2);
      case DUP2_X1 -> insertCopy(2, 3);
      case DUP2_X2 -> insertCopy(2, 4);
      default -> { // swap
        if (stack.size() >= 2) {
          stack.add(stack.size() - 2, stack.removeLast());
        }
      }
    }
  }

  /** Copies the topmost slots to below the given depth. */
  private void insertCopy(int slots, int depth) {
    if (stack.size() >= depth) {
      List<String> copy = List.copyOf(stack.subList(stack.size() - slots, stack.size()));
      stack.addAll(stack.size() - depth, copy);
    }
  }

  private void push(TypeKind kind, String name) {
    for (int i = 0; i < kind.slotSize(); i++) {
      stack.add(name);
    }
  }

  private void pop(TypeKind kind) {
    drop(kind.slotSize());
  }

  private void drop(int slots) {
    for (int i = 0; i < slots && !stack.isEmpty(); i++) {
      stack.removeLast();
    }
  }
}
