package dev.millrace.flyweight;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The hidden class that implements an interface. It lies in the interface's package, so it can name
 * only what is public in an exported package: {@link Flyweight} and {@link RecordLayout}. Its
 * methods call method handles, which are constants of the class.
 */
final class FlyweightClass {
  private static final ClassDesc FLYWEIGHT = ClassData.desc(Flyweight.class);
  private static final ClassDesc LOOKUP = ClassData.desc(MethodHandles.Lookup.class);
  private static final String BESIDE = "MillraceLookup";

  private final Class<?> type;
  private final RecordLayout layout;
  private final MethodHandles.Lookup lookup;
  private final ClassData data = new ClassData();
  private final List<Consumer<ClassBuilder>> methods = new ArrayList<>();

  FlyweightClass(Class<?> type, RecordLayout layout, MethodHandles.Lookup lookup) {
    this.type = type;
    this.layout = layout;
    this.lookup = lookup;
  }

  /**
   * Adds a method.
   *
   * @param access {@code (Flyweight, parameters)result}, called with this; if it returns nothing
   *     and the method does, the method returns this
   */
  void add(Method method, MethodHandle access) {
    Class<?> result = method.getReturnType();
    boolean returnsThis = result != void.class && access.type().returnType() == void.class;
    MethodType type = MethodType.methodType(result, method.getParameterTypes());
    Consumer<CodeBuilder> body =
        code -> {
          data.push(code, MethodHandle.class, access);
          code.aload(0);
          for (int i = 0; i < type.parameterCount(); i++) {
            code.loadLocal(TypeKind.from(type.parameterType(i)), code.parameterSlot(i));
          }
          ClassData.invoke(code, access);
          if (returnsThis) {
            code.aload(0);
          }
          code.return_(TypeKind.from(result));
        };
    methods.add(
        builder ->
            builder.withMethodBody(
                method.getName(), ClassData.desc(type), ClassFile.ACC_PUBLIC, body));
  }

  /**
   * Defines the class.
   *
   * @param parts the types of the flyweights that each instance has as its parts
   */
  FlyweightType<?> define(List<FlyweightType<?>> parts) {
    ClassDesc name = ClassDesc.of(lookup.lookupClass().getPackageName(), type.getSimpleName());
    byte[] bytes = ClassFile.of().build(name, this::build);
    try {
      MethodHandles.Lookup hidden = data.define(lookup, bytes);
      MethodHandle constructor =
          hidden
              .findConstructor(hidden.lookupClass(), CONSTRUCTOR)
              .asType(CONSTRUCTOR.changeReturnType(Object.class));
      return new FlyweightType<>(layout, factory(constructor, parts));
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e); // it was just written
    } catch (IllegalAccessException | LinkageError e) {
      throw new IllegalArgumentException(
          "lookup must be of the interface's package, and see dev.millrace.flyweight: interface="
              + type.getName()
              + ", lookup="
              + lookup,
          e);
    }
  }

  private void build(ClassBuilder builder) {
    builder.withSuperclass(FLYWEIGHT).withInterfaceSymbols(ClassData.desc(type));
    builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER);
    builder.withMethodBody(
        ConstantDescs.INIT_NAME, ClassData.desc(CONSTRUCTOR), 0, this::buildConstructor);
    methods.forEach(method -> method.accept(builder));
  }

  private void buildConstructor(CodeBuilder code) {
    MethodType inherited = CONSTRUCTOR.insertParameterTypes(0, RecordLayout.class);
    code.aload(0);
    data.push(code, RecordLayout.class, layout);
    code.aload(1).aload(2);
    code.invokespecial(FLYWEIGHT, ConstantDescs.INIT_NAME, ClassData.desc(inherited)).return_();
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
        throw new AssertionError(e); // it throws nothing else
      }
    };
  }

  /**
   * Turns a lookup into another module's open package into one that may define hidden classes
   * there, by asking from within.
   */
  static MethodHandles.Lookup lookupBeside(MethodHandles.Lookup in) throws IllegalAccessException {
    Class<?> neighbour = in.lookupClass();
    ClassDesc name = ClassDesc.of(neighbour.getPackageName(), BESIDE);
    MethodTypeDesc type = MethodTypeDesc.of(LOOKUP);
    byte[] bytes =
        ClassFile.of()
            .build(
                name,
                builder ->
                    builder
                        .withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER)
                        .withMethodBody(
                            "lookup",
                            type,
                            ClassFile.ACC_STATIC,
                            code ->
                                code.invokestatic(
                                        ClassData.desc(MethodHandles.class), "lookup", type)
                                    .areturn()));
    try {
      Class<?> beside;
      try {
        beside = in.defineClass(bytes);
      } catch (LinkageError e) {
        beside = in.findClass(neighbour.getPackageName() + "." + BESIDE); // defined before
      }
      return (MethodHandles.Lookup)
          in.findStatic(beside, "lookup", MethodType.methodType(MethodHandles.Lookup.class))
              .invokeExact();
    } catch (IllegalAccessException e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("lookup must be found beside " + neighbour, e);
    }
  }

  private static final MethodType CONSTRUCTOR =
      MethodType.methodType(void.class, MemorySegment.class, Flyweight[].class);
}
