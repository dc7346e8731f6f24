package dev.millrace.flyweight.internal;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Generates the methods that store values. Such a method first reads all parts of a value into
 * local variables and checks them. Then it stores them, which calls no code of the value's class
 * and cannot fail. Each method is in a hidden class of its own, whose constants are the handles of
 * the {@link Part}.
 */
public final class PartWriter {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final String METHOD = "write";

  /** The slot of the value, which is the last parameter of a generated method. */
  private static final int VALUE = 3;

  /**
   * The most stores in one method. More would be too many for C1, which then also keeps C2 from
   * compiling the method.
   */
  private static final int MOST_STORES = 8;

  /**
   * A value that was read into a local variable.
   *
   * @param variant the variable of the variant that the value is part of; negative if there is none
   */
  private record Local(int slot, long offset, MethodHandle store, int variant) {}

  private final ClassWriter writer = new ClassWriter(LOOKUP, "PartWriterCode");
  private final List<Local> values = new ArrayList<>();

  /** The local variable that says whether all values fit. It is used only if some may not. */
  private int fits;

  private PartWriter() {}

  /**
   * Makes a handle that reads and checks a value and then stores it. Its type is {@code
   * (MemorySegment, long, T)void}, or the same with Object instead of T.
   */
  public static MethodHandle writer(Part part) {
    if (!part.stored().isEmpty() && part.stored().getFirst().getter() == null) {
      return part.stored().getFirst().store(); // there is nothing to read or check
    }
    return define(
        MethodType.methodType(void.class, MemorySegment.class, long.class, Object.class),
        (writer, code) -> {
          writer.read(code, part, VALUE, 0, -1);
          writer.store(code, 0, 1);
          code.return_();
        });
  }

  /**
   * Makes a handle, {@code (C, long, Object)long}, that reads and checks a value, then finds out
   * where to store it, and then stores it there. The handle returns what {@code place} returns.
   * {@link RecordCodec#writerTo} describes the four handles that it calls. {@code spill} is null if
   * every value can be stored.
   */
  static MethodHandle writerTo(
      Part part, MethodHandle place, MethodHandle memory, MethodHandle offset, MethodHandle spill) {
    MethodType type = place.type().appendParameterTypes(Object.class);
    return define(
            type.erase(),
            (writer, code) -> {
              if (part.mayNotFit()) {
                writer.fits = code.allocateLocal(TypeKind.INT);
                code.iconst_1().istore(writer.fits);
              }
              writer.read(code, part, VALUE, 0, -1);
              int placed = writer.call(code, place, 0, 1);
              Consumer<CodeBuilder> store =
                  then -> {
                    int segment = writer.call(then, memory, 0);
                    writer.store(then, segment, writer.call(then, offset, 0, placed));
                  };
              code.lload(placed).lconst_0().lcmp();
              code.ifThen(
                  Opcode.IFGE,
                  then -> {
                    if (!part.mayNotFit()) {
                      store.accept(then);
                      return;
                    }
                    then.iload(writer.fits)
                        .ifThenElse(
                            Opcode.IFNE,
                            store::accept,
                            otherwise -> {
                              int _ = writer.call(otherwise, spill, 0, placed, 3);
                            });
                  });
              code.lload(placed).lreturn();
            })
        .asType(type);
  }

  private static MethodHandle define(MethodType type, BiConsumer<PartWriter, CodeBuilder> body) {
    PartWriter part = new PartWriter();
    part.writer.method(
        ClassFile.ACC_STATIC,
        METHOD,
        type,
        code -> {
          part.values.clear(); // for a second pass
          body.accept(part, code);
        });
    try {
      MethodHandles.Lookup hidden = part.writer.define(LOOKUP);
      return hidden.findStatic(hidden.lookupClass(), METHOD, type);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a class of this package must be defined", e);
    }
  }

  /**
   * Reads everything that is stored for the value in the local variable {@code slot}. {@code
   * variant} is the variable of the variant that the value is part of; negative if there is none.
   */
  private void read(CodeBuilder code, Part part, int slot, long offset, int variant) {
    for (Part.Stored stored : part.stored()) {
      MethodHandle getter = stored.getter();
      int value = getter == null ? slot : call(code, orZero(getter), slot);
      if (stored.fits() != null) {
        checkFits(code, stored.fits(), value, getter == null ? -1 : slot);
      }
      long at = offset + stored.offset();
      if (stored.part() == null) {
        values.add(new Local(value, at, stored.store(), variant));
      } else {
        read(code, stored.part(), value, at, stored.isVariant() ? value : variant);
      }
    }
  }

  /** Notes whether a value fits. An absent value does. */
  private void checkFits(CodeBuilder code, MethodHandle handle, int value, int containing) {
    Consumer<CodeBuilder> check =
        then -> {
          int fitting = call(then, handle, value);
          then.iload(fits).iload(fitting).iand().istore(fits);
        };
    if (containing <= VALUE) { // the containing value is present
      check.accept(code);
    } else {
      code.aload(containing).ifThen(Opcode.IFNONNULL, check::accept);
    }
  }

  /** Stores the values that were read, a few of them in each method. */
  private void store(CodeBuilder code, int memory, int offset) {
    int from = 0;
    while (from < values.size()) {
      int variant = values.get(from).variant;
      int to = from + 1;
      while (to < values.size() && to - from < MOST_STORES && values.get(to).variant == variant) {
        to++;
      }
      List<Local> some = List.copyOf(values.subList(from, to));
      if (variant < 0) {
        storeSome(code, memory, offset, some);
      } else {
        code.aload(variant).ifThen(Opcode.IFNONNULL, then -> storeSome(then, memory, offset, some));
      }
      from = to;
    }
  }

  private void storeSome(CodeBuilder code, int memory, int offset, List<Local> some) {
    String name = "store" + some.getFirst().slot;
    MethodType type = MethodType.methodType(void.class, MemorySegment.class, long.class);
    IntStream.Builder slots = IntStream.builder().add(memory).add(offset);
    for (Local value : some) {
      type = type.appendParameterTypes(erased(value.store.type().lastParameterType()));
      slots.add(value.slot);
    }
    writer.method(
        ClassFile.ACC_STATIC,
        name,
        type,
        body -> {
          for (int i = 0; i < some.size(); i++) {
            Local value = some.get(i);
            call(body, Part.at(value.offset, value.store), 0, 1, body.parameterSlot(2 + i));
          }
          body.return_();
        });
    writer.callOwn(code, name, type, slots.build().toArray());
  }

  /**
   * Calls {@code handle} with the local variables in {@code slots}. Returns the variable that holds
   * the result, or -1 if there is none.
   */
  private int call(CodeBuilder code, MethodHandle handle, int... slots) {
    MethodHandle erased = handle.asType(erased(handle.type()));
    writer.call(code, erased, slots);
    TypeKind kind = TypeKind.from(erased.type().returnType());
    if (kind == TypeKind.VOID) {
      return -1;
    }
    int slot = code.allocateLocal(kind);
    code.storeLocal(kind, slot);
    return slot;
  }

  /** Replaces the types that the class may not see. */
  private static MethodType erased(MethodType type) {
    List<Class<?>> parameters =
        type.parameterList().stream().<Class<?>>map(PartWriter::erased).toList();
    return MethodType.methodType(erased(type.returnType()), parameters);
  }

  private static Class<?> erased(Class<?> type) {
    // without the segment's type, writing a record takes a sixth longer
    return type.isPrimitive() || type == MemorySegment.class ? type : Object.class;
  }

  /**
   * Returns a getter that does the same but returns zero for null, which stands for an absent
   * value.
   */
  private static MethodHandle orZero(MethodHandle getter) {
    Class<?> type = getter.type().parameterType(0);
    return type.isPrimitive()
        ? getter
        : MethodHandles.guardWithTest(
            RecordMapping.isPresent(type), getter, MethodHandles.empty(getter.type()));
  }
}
