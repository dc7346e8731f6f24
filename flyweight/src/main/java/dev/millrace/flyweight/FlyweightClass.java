package dev.millrace.flyweight;

import dev.millrace.flyweight.internal.ClassWriter;
import dev.millrace.flyweight.internal.Part;
import java.lang.classfile.ClassFile;
import java.lang.classfile.TypeKind;
import java.lang.constant.ConstantDescs;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Builds the hidden class that implements an interface. That class is in the interface's package,
 * so it can refer only to public types in exported packages, namely {@link Flyweight} and {@link
 * RecordLayout}. Its methods call method handles, which are constants of the class.
 */
final class FlyweightClass {
  private static final String BESIDE = "MillraceLookup";

  private final Class<?> type;
  private final RecordLayout layout;
  private final MethodHandles.Lookup lookup;
  private final ClassWriter writer;

  FlyweightClass(Class<?> type, RecordLayout layout, MethodHandles.Lookup lookup) {
    this.type = type;
    this.layout = layout;
    this.lookup = lookup;
    this.writer = new ClassWriter(lookup, type.getSimpleName()).extending(Flyweight.class, type);
  }

  /**
   * Adds a method.
   *
   * @param access {@code (Flyweight, parameters)result}, called with {@code this}. If it returns
   *     nothing but the method has a result, the method returns {@code this}
   */
  void add(Method method, MethodHandle access) {
    Class<?> result = method.getReturnType();
    boolean returnsThis = result != void.class && access.type().returnType() == void.class;
    MethodType type = MethodType.methodType(result, method.getParameterTypes());
    writer.method(
        ClassFile.ACC_PUBLIC,
        method.getName(),
        type,
        code -> {
          IntStream slots = IntStream.range(0, type.parameterCount()).map(code::parameterSlot);
          code.trying(
              body -> {
                writer.call(body, access, IntStream.concat(IntStream.of(0), slots).toArray());
                if (returnsThis) {
                  body.aload(0);
                }
                body.return_(TypeKind.from(result));
              },
              failed ->
                  failed.catching(
                      ClassWriter.desc(RuntimeException.class),
                      handler -> {
                        int failure = handler.allocateLocal(TypeKind.REFERENCE);
                        handler.astore(failure);
                        writer.call(handler, EXPLAINED, 0, failure);
                        handler.athrow();
                      }));
        });
  }

  /**
   * Defines the class.
   *
   * @param parts the types of the flyweights that become the parts of each instance
   */
  FlyweightType<?> define(List<FlyweightType<?>> parts) {
    MethodType inherited = CONSTRUCTOR.insertParameterTypes(0, RecordLayout.class);
    writer.method(
        0,
        ConstantDescs.INIT_NAME,
        CONSTRUCTOR,
        code -> {
          code.aload(0);
          writer.push(code, RecordLayout.class, layout);
          code.aload(1).aload(2);
          code.invokespecial(
              ClassWriter.desc(Flyweight.class),
              ConstantDescs.INIT_NAME,
              ClassWriter.desc(inherited));
          code.return_();
        });
    try {
      MethodHandles.Lookup hidden = writer.define(lookup);
      MethodHandle constructor = hidden.findConstructor(hidden.lookupClass(), CONSTRUCTOR);
      return new FlyweightType<>(
          layout, factory(constructor.asType(CONSTRUCTOR.changeReturnType(Object.class)), parts));
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e); // the constructor was added above
    } catch (IllegalAccessException | LinkageError e) {
      throw new IllegalArgumentException(
          "lookup must be of the interface's package, and see dev.millrace.flyweight: interface="
              + type.getName()
              + ", lookup="
              + lookup,
          e);
    }
  }

  private static Function<MemorySegment, Object> factory(
      MethodHandle constructor, List<FlyweightType<?>> parts) {
    return memory -> {
      Flyweight[] made =
          parts.stream().map(part -> part.newFlyweight(memory)).toArray(Flyweight[]::new);
      try {
        return constructor.invokeExact(memory, made);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new AssertionError(e); // the constructor throws nothing else
      }
    };
  }

  /**
   * Returns a lookup that may define hidden classes in a package that another module opens to this
   * one. Given a lookup into that package, it defines a class there whose method returns a lookup
   * of its own.
   */
  static MethodHandles.Lookup lookupBeside(MethodHandles.Lookup in) throws IllegalAccessException {
    MethodType type = MethodType.methodType(MethodHandles.Lookup.class);
    byte[] bytes =
        new ClassWriter(in, BESIDE)
            .method(
                ClassFile.ACC_STATIC,
                "lookup",
                type,
                code ->
                    code.invokestatic(
                            ClassWriter.desc(MethodHandles.class), "lookup", ClassWriter.desc(type))
                        .areturn())
            .bytes();
    try {
      Class<?> beside;
      try {
        beside = in.defineClass(bytes);
      } catch (LinkageError e) {
        // an earlier call has already defined it
        String name = in.lookupClass().getPackageName();
        beside = in.findClass(name.isEmpty() ? BESIDE : name + "." + BESIDE);
      }
      return (MethodHandles.Lookup) in.findStatic(beside, "lookup", type).invokeExact();
    } catch (IllegalAccessException e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("lookup must be found beside " + in.lookupClass(), e);
    }
  }

  private static final MethodHandle EXPLAINED =
      Part.handle(
              MethodHandles.lookup(), FlyweightCursor.class, "explained", RuntimeException.class)
          .asType(
              MethodType.methodType(
                  RuntimeException.class, Flyweight.class, RuntimeException.class));
  private static final MethodType CONSTRUCTOR =
      MethodType.methodType(void.class, MemorySegment.class, Flyweight[].class);
}
