package dev.millrace.stress.mutation;

import dev.millrace.stress.mutation.AccessSite.Family;
import dev.millrace.stress.mutation.AccessSite.Operation;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Tears an update apart: a volatile read, and then a volatile write as if nothing could have
 * happened in between.
 */
final class Splitter implements Operator {
  private static final Set<String> SPLITTABLE =
      Set.of(
          "compareAndSet",
          "weakCompareAndSet",
          "compareAndExchange",
          "getAndSet",
          "getAndAdd",
          "getAndBitwiseOr",
          "getAndBitwiseAnd",
          "getAndBitwiseXor");

  @Override
  public void plant(MethodSites method, int index, Sink sink) {
    method
        .at(index)
        .filter(site -> site.operation() == Operation.UPDATE)
        .filter(site -> SPLITTABLE.contains(AccessNames.base(site.name())))
        .ifPresent(
            site -> {
              InvokeInstruction call = (InvokeInstruction) method.code().element(index);
              Edit edit = new Halves(site, call, method.code().firstFreeLocal());
              String operator = "split into read and write";
              sink.plant(site.text(), operator, false, Map.of(index, edit));
            });
  }

  /** The two accesses in place of the one. */
  private static final class Halves implements Edit {
    private final AccessSite site;
    private final InvokeInstruction call;
    private final MethodTypeDesc type;
    private final ClassDesc value;
    private final TypeKind kind;
    private final Spill operands;
    private final Spill witness;
    private final int place;

    Halves(AccessSite site, InvokeInstruction call, int firstLocal) {
      this.site = site;
      this.call = call;
      this.type = call.typeSymbol();
      this.value = type.parameterType(type.parameterCount() - 1);
      this.kind = TypeKind.from(value).asLoadable();
      int values = AccessNames.base(site.name()).startsWith("getAnd") ? 1 : 2;
      // the receiver and the coordinates, that is what tells the variable
      this.place = 1 + type.parameterCount() - values;
      List<TypeKind> all = MethodSites.kinds(type);
      this.operands =
          new Spill(
              Stream.concat(Stream.of(TypeKind.REFERENCE), all.stream()).toList(), firstLocal);
      this.witness = new Spill(List.of(kind), operands.nextLocal());
    }

    @Override
    public void emit(CodeBuilder builder) {
      operands.store(builder);
      read(builder);
      witness.store(builder);
      String base = AccessNames.base(site.name());
      switch (base) {
        case "compareAndSet", "weakCompareAndSet" -> {
          Label differs = builder.newLabel();
          Label end = builder.newLabel();
          jumpUnlessExpected(builder, differs);
          write(builder, () -> operands.loadOne(builder, place + 1));
          builder.iconst_1().goto_(end).labelBinding(differs).iconst_0().labelBinding(end);
        }
        case "compareAndExchange" -> {
          Label differs = builder.newLabel();
          jumpUnlessExpected(builder, differs);
          write(builder, () -> operands.loadOne(builder, place + 1));
          builder.labelBinding(differs);
          witness.load(builder);
        }
        default -> {
          write(builder, () -> newValue(builder, base));
          if (!type.returnType().equals(ConstantDescs.CD_void)) {
            witness.load(builder);
          }
        }
      }
    }

    private void read(CodeBuilder builder) {
      operands.loadFirst(builder, place);
      access(builder, reader(), coordinates().changeReturnType(value));
    }

    private void write(CodeBuilder builder, Runnable loadValue) {
      operands.loadFirst(builder, place);
      loadValue.run();
      MethodTypeDesc one = coordinates();
      access(
          builder,
          writer(),
          one.insertParameterTypes(one.parameterCount(), value)
              .changeReturnType(ConstantDescs.CD_void));
    }

    private void access(CodeBuilder builder, String name, MethodTypeDesc descriptor) {
      builder.invoke(call.opcode(), call.owner().asSymbol(), name, descriptor, call.isInterface());
    }

    private MethodTypeDesc coordinates() {
      return type.dropParameterTypes(place - 1, type.parameterCount());
    }

    private String reader() {
      return site.family() == Family.ATOMIC ? "get" : "getVolatile";
    }

    private String writer() {
      return site.family() == Family.ATOMIC ? "set" : "setVolatile";
    }

    private void jumpUnlessExpected(CodeBuilder builder, Label differs) {
      witness.load(builder);
      bits(builder);
      operands.loadOne(builder, place);
      bits(builder);
      switch (kind) {
        case REFERENCE -> builder.if_acmpne(differs);
        case LONG, DOUBLE -> builder.lcmp().ifne(differs);
        default -> builder.if_icmpne(differs);
      }
    }

    /** A floating-point number is compared by its bits. */
    private void bits(CodeBuilder builder) {
      if (kind == TypeKind.FLOAT) {
        builder.invokestatic(
            ConstantDescs.CD_Float,
            "floatToRawIntBits",
            MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_float));
      } else if (kind == TypeKind.DOUBLE) {
        builder.invokestatic(
            ConstantDescs.CD_Double,
            "doubleToRawLongBits",
            MethodTypeDesc.of(ConstantDescs.CD_long, ConstantDescs.CD_double));
      }
    }

    private void newValue(CodeBuilder builder, String base) {
      if (!base.equals("getAndSet")) {
        witness.load(builder);
      }
      operands.loadOne(builder, place);
      switch (base) {
        case "getAndAdd" -> add(builder);
        case "getAndBitwiseOr" -> combine(builder::ior, builder::lor);
        case "getAndBitwiseAnd" -> combine(builder::iand, builder::land);
        case "getAndBitwiseXor" -> combine(builder::ixor, builder::lxor);
        default -> {} // the operand itself
      }
    }

    private void add(CodeBuilder builder) {
      switch (kind) {
        case LONG -> builder.ladd();
        case FLOAT -> builder.fadd();
        case DOUBLE -> builder.dadd();
        default -> {
          builder.iadd();
          narrow(builder);
        }
      }
    }

    private void narrow(CodeBuilder builder) {
      switch (TypeKind.from(value)) {
        case BYTE -> builder.i2b();
        case SHORT -> builder.i2s();
        case CHAR -> builder.i2c();
        default -> {} // an int as it is
      }
    }

    private void combine(Runnable ofInts, Runnable ofLongs) {
      if (kind == TypeKind.LONG) {
        ofLongs.run();
      } else {
        ofInts.run();
      }
    }
  }
}
