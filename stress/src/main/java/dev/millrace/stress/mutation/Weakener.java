package dev.millrace.stress.mutation;

import dev.millrace.stress.mutation.AccessNames.Weaker;
import dev.millrace.stress.mutation.AccessSite.Family;
import dev.millrace.stress.mutation.AccessSite.Mode;
import dev.millrace.stress.mutation.AccessSite.Operation;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Locale;
import java.util.Map;

/**
 * Weakens an access by one step, or a fence.
 *
 * <p>Where there is a method of the weaker mode, it is called instead. Where there is none, the
 * simulator is told beforehand how to take the thread's next access; such a class file runs in the
 * simulator only.
 */
final class Weakener implements Operator {
  private static final ClassDesc WEAKENING = ClassDesc.of("dev.millrace.simulator.Weakening");
  private static final MethodTypeDesc NEXT =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);

  @Override
  public void plant(MethodSites method, int index, Sink sink) {
    method.at(index).ifPresent(site -> plant(method, site, sink));
  }

  private static void plant(MethodSites method, AccessSite site, Sink sink) {
    CodeElement element = method.code().element(site.index());
    if (site.operation() == Operation.FENCE) {
      boolean full = site.mode() == Mode.VOLATILE;
      Edit edit = full ? builder -> halves(builder, site) : builder -> {};
      String operator = full ? "weaken to acquire and release" : "remove";
      sink.plant(site.text(), operator, true, Map.of(site.index(), edit));
      return;
    }
    for (Weaker weaker : AccessNames.weaker(site)) {
      String mode = weaker.mode().name().toLowerCase(Locale.ROOT);
      Edit edit =
          isThere(method, site, element, weaker)
              ? builder -> rename(builder, (InvokeInstruction) element, weaker.name())
              : builder -> builder.ldc(mode).invokestatic(WEAKENING, "next", NEXT).with(element);
      sink.plant(site.text(), "weaken to " + mode, true, Map.of(site.index(), edit));
    }
  }

  private static boolean isThere(
      MethodSites method, AccessSite site, CodeElement element, Weaker weaker) {
    if (site.family() == Family.VAR_HANDLE) {
      return AccessNames.meaning(Family.VAR_HANDLE, weaker.name()).isPresent();
    }
    return element instanceof InvokeInstruction call
        && method.declarations().declares(site.owner(), weaker.name(), call.type().stringValue());
  }

  private static void halves(CodeBuilder builder, AccessSite site) {
    builder
        .invokestatic(site.owner(), "acquireFence", ConstantDescs.MTD_void)
        .invokestatic(site.owner(), "releaseFence", ConstantDescs.MTD_void);
  }

  private static void rename(CodeBuilder builder, InvokeInstruction call, String name) {
    builder.invoke(
        call.opcode(), call.owner().asSymbol(), name, call.typeSymbol(), call.isInterface());
  }
}
