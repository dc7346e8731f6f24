package dev.millrace.stress.mutation;

import dev.millrace.stress.mutation.AccessNames.Weaker;
import dev.millrace.stress.mutation.AccessSite.Family;
import dev.millrace.stress.mutation.AccessSite.Mode;
import dev.millrace.stress.mutation.AccessSite.Operation;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The ways of planting a bug at one instruction.
 *
 * <p>Where there is a method that does what the bug does, it is called instead. Where there is
 * none, the simulator is told beforehand how to take the thread's next access; such a class file
 * runs in the simulator only.
 */
final class Operators {
  private static final ClassDesc WEAKENING = ClassDesc.of("dev.millrace.simulator.Weakening");
  private static final MethodTypeDesc NEXT =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);

  private Operators() {}

  /** Weakens an access by one step, or a fence. */
  static void weaken(MethodCode method, int index, Operator.Sink sink) {
    Optional<AccessSite> found = method.site(index);
    if (found.isEmpty()) {
      return;
    }
    AccessSite site = found.get();
    CodeElement element = method.element(index);
    if (site.operation() == Operation.FENCE) {
      boolean full = site.mode() == Mode.VOLATILE;
      String operator = full ? "weaken to acquire and release" : "remove";
      sink.plant(site.text(), operator, true, index, builder -> halves(builder, site, full));
      return;
    }
    for (Weaker weaker : AccessNames.weaker(site)) {
      String mode = weaker.mode().name().toLowerCase(Locale.ROOT);
      Consumer<CodeBuilder> edit =
          exists(method, site, element, weaker.name())
              ? builder -> rename(builder, (InvokeInstruction) element, weaker.name())
              : builder -> tell(builder, mode).with(element);
      sink.plant(site.text(), "weaken to " + mode, true, index, edit);
    }
  }

  private static boolean exists(
      MethodCode method, AccessSite site, CodeElement element, String name) {
    return site.family() == Family.VAR_HANDLE
        ? AccessNames.meaning(Family.VAR_HANDLE, name).isPresent()
        : element instanceof InvokeInstruction call && declares(method, call, name);
  }

  private static boolean declares(MethodCode method, InvokeInstruction call, String name) {
    return method
        .declarations()
        .method(call.owner().asInternalName(), name, call.type().stringValue())
        .isPresent();
  }

  private static void halves(CodeBuilder builder, AccessSite fence, boolean both) {
    if (both) {
      builder
          .invokestatic(fence.owner(), "acquireFence", ConstantDescs.MTD_void)
          .invokestatic(fence.owner(), "releaseFence", ConstantDescs.MTD_void);
    }
  }

  private static void rename(CodeBuilder builder, InvokeInstruction call, String name) {
    builder.invoke(
        call.opcode(), call.owner().asSymbol(), name, call.typeSymbol(), call.isInterface());
  }

  private static CodeBuilder tell(CodeBuilder builder, String mode) {
    return builder.ldc(mode).invokestatic(WEAKENING, "next", NEXT);
  }

  /** Leaves out a store, or an update whose result is not used; the operands are evaluated. */
  static void drop(MethodCode method, int index, Operator.Sink sink) {
    if (!method.isStore(index) && !isBlindUpdate(method, index)) {
      return;
    }
    List<TypeKind> operands = method.operands(index);
    sink.plant(
        method.text(index),
        "drop",
        false,
        index,
        builder -> {
          for (TypeKind kind : operands.reversed()) {
            if (kind.slotSize() == 2) {
              builder.pop2();
            } else {
              builder.pop();
            }
          }
          if (method.element(index) instanceof InvokeInstruction call) {
            zero(builder, TypeKind.from(call.typeSymbol().returnType()).asLoadable());
          }
        });
  }

  private static boolean isUpdate(MethodCode method, int index) {
    return method.site(index).filter(site -> site.operation() == Operation.UPDATE).isPresent();
  }

  /** Whether an element updates, and the next one throws the result away. */
  private static boolean isBlindUpdate(MethodCode method, int index) {
    if (!isUpdate(method, index)) {
      return false;
    }
    InvokeInstruction call = (InvokeInstruction) method.element(index);
    int next = method.next(index);
    return call.typeSymbol().returnType().equals(ConstantDescs.CD_void)
        || (next >= 0
            && method.element(next) instanceof StackInstruction stack
            && (stack.opcode() == Opcode.POP || stack.opcode() == Opcode.POP2));
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

  /** Tears an update apart: a volatile read, and then a volatile write. */
  static void split(MethodCode method, int index, Operator.Sink sink) {
    if (isUpdate(method, index) && AccessNames.isSplittable(method.site(index).get().name())) {
      Consumer<CodeBuilder> edit = builder -> tell(builder, "split").with(method.element(index));
      sink.plant(method.text(index), "split into read and write", false, index, edit);
    }
  }

  /** Turns a conditional jump round, so that it jumps when it must not, and only then. */
  static void negate(MethodCode method, int index, Operator.Sink sink) {
    if (method.element(index) instanceof BranchInstruction branch
        && branch.opcode() != Opcode.GOTO
        && branch.opcode() != Opcode.GOTO_W) {
      String text = branch.opcode().name().toLowerCase(Locale.ROOT);
      Consumer<CodeBuilder> edit =
          builder -> {
            Label behind = builder.newLabel();
            builder.branch(branch.opcode(), behind).goto_(branch.target()).labelBinding(behind);
          };
      sink.plant(text, "negate", false, index, edit);
    }
  }
}
