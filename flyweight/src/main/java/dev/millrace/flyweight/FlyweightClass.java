package dev.millrace.flyweight;

import static java.lang.constant.ConstantDescs.CD_MethodHandle;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.millrace.flyweight.InterfaceMapping.Kind;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicConstantDesc;
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
 * The hidden class that implements an interface. It lies in the interface's package, so all that it
 * may name is public in an exported package: {@link Flyweight} and {@link FlyweightType}. What its
 * methods do comes as method handles, which are constants of the class.
 */
final class FlyweightClass {
  private static final ClassDesc FLYWEIGHT = desc(Flyweight.class);
  private static final ClassDesc TYPE = desc(FlyweightType.class);
  private static final ClassDesc LAYOUT = desc(RecordLayout.class);
  private static final ClassDesc SEGMENT = desc(MemorySegment.class);
  private static final ClassDesc LOOKUP_CLASS = desc(MethodHandles.Lookup.class);
  private static final String BESIDE = "MillraceLookup";

  private final Class<?> type;
  private final RecordLayout layout;
  private final List<Object> constants = new ArrayList<>();
  private final List<Consumer<ClassBuilder>> methods = new ArrayList<>();
  private final List<Integer> parts = new ArrayList<>(); // the constants that make them
  private ClassDesc self;

  FlyweightClass(Class<?> type, RecordLayout layout) {
    this.type = type;
    this.layout = layout;
    constants.add(layout);
  }

  private int constant(Object value) {
    constants.add(value);
    return constants.size() - 1;
  }

  /** Adds a method that accesses a field: {@code (MemorySegment, long, ...)}. */
  void addAccess(Method method, Kind kind, MethodHandle access) {
    int constant = constant(access);
    MethodTypeDesc called = access.type().describeConstable().orElseThrow();
    add(
        method,
        code -> {
          code.ldc(constantAt(constant, CD_MethodHandle));
          code.aload(0).invokevirtual(FLYWEIGHT, "memory", MethodTypeDesc.of(SEGMENT));
          code.aload(0).invokevirtual(FLYWEIGHT, "offset", MethodTypeDesc.of(CD_long));
          int slot = 1;
          for (Class<?> parameter : method.getParameterTypes()) {
            TypeKind its = TypeKind.from(parameter);
            code.loadLocal(its, slot);
            slot += its.slotSize();
          }
          code.invokevirtual(CD_MethodHandle, "invokeExact", called);
          if (kind != Kind.READ && method.getReturnType() != void.class) {
            code.aload(0);
          }
          code.return_(TypeKind.from(method.getReturnType()));
        });
  }

  /**
   * Adds a method that returns a part of the record.
   *
   * @param element where an element is, {@code (long, int)long}; null if the part is no array
   */
  void addPart(Method method, FlyweightType<?> its, long offset, MethodHandle element) {
    String name = "part" + parts.size();
    parts.add(constant(its));
    int elementConstant = element == null ? 0 : constant(element);
    add(
        method,
        code -> {
          code.aload(0).getfield(self, name, FLYWEIGHT);
          if (element == null) {
            code.aload(0).invokevirtual(FLYWEIGHT, "offset", MethodTypeDesc.of(CD_long));
            code.loadConstant(offset).ladd();
          } else {
            code.ldc(constantAt(elementConstant, CD_MethodHandle));
            code.aload(0).invokevirtual(FLYWEIGHT, "offset", MethodTypeDesc.of(CD_long));
            code.iload(1);
            code.invokevirtual(
                CD_MethodHandle, "invokeExact", MethodTypeDesc.of(CD_long, CD_long, CD_int));
          }
          code.invokevirtual(FLYWEIGHT, "moveTo", MethodTypeDesc.of(CD_void, CD_long));
          code.aload(0).getfield(self, name, FLYWEIGHT);
          code.checkcast(desc(method.getReturnType())).areturn();
        });
  }

  private void add(Method method, Consumer<CodeBuilder> body) {
    MethodTypeDesc itsType =
        MethodType.methodType(method.getReturnType(), method.getParameterTypes())
            .describeConstable()
            .orElseThrow();
    methods.add(
        builder -> builder.withMethodBody(method.getName(), itsType, ClassFile.ACC_PUBLIC, body));
  }

  /** Defines the class. */
  FlyweightType<?> define(MethodHandles.Lookup lookup) {
    self = ClassDesc.of(lookup.lookupClass().getPackageName(), type.getSimpleName());
    byte[] bytes =
        ClassFile.of()
            .build(
                self,
                builder -> {
                  builder.withSuperclass(FLYWEIGHT).withInterfaceSymbols(desc(type));
                  builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER);
                  for (int i = 0; i < parts.size(); i++) {
                    builder.withField("part" + i, FLYWEIGHT, ClassFile.ACC_FINAL);
                  }
                  builder.withMethodBody(
                      ConstantDescs.INIT_NAME,
                      MethodTypeDesc.of(CD_void, SEGMENT),
                      0,
                      this::buildConstructor);
                  methods.forEach(method -> method.accept(builder));
                });
    try {
      MethodHandles.Lookup hidden =
          lookup.defineHiddenClassWithClassData(bytes, List.copyOf(constants), true);
      return new FlyweightType<>(layout, factory(hidden));
    } catch (IllegalAccessException | LinkageError e) {
      throw new IllegalArgumentException(
          "lookup must be of the interface's package, and see dev.millrace.flyweight: interface="
              + type.getName()
              + ", lookup="
              + lookup,
          e);
    }
  }

  private void buildConstructor(CodeBuilder code) {
    // the parts first: the superclass keeps them
    int firstPart = 2;
    for (int i = 0; i < parts.size(); i++) {
      code.ldc(constantAt(parts.get(i), TYPE)).aload(1);
      code.invokevirtual(TYPE, "newFlyweight", MethodTypeDesc.of(CD_Object, SEGMENT));
      code.checkcast(FLYWEIGHT).astore(firstPart + i);
    }
    code.aload(0).ldc(constantAt(0, LAYOUT)).aload(1);
    code.loadConstant(parts.size()).anewarray(FLYWEIGHT);
    for (int i = 0; i < parts.size(); i++) {
      code.dup().loadConstant(i).aload(firstPart + i).aastore();
    }
    code.invokespecial(
        FLYWEIGHT,
        ConstantDescs.INIT_NAME,
        MethodTypeDesc.of(CD_void, LAYOUT, SEGMENT, FLYWEIGHT.arrayType()));
    for (int i = 0; i < parts.size(); i++) {
      code.aload(0).aload(firstPart + i).putfield(self, "part" + i, FLYWEIGHT);
    }
    code.return_();
  }

  private static Function<MemorySegment, Object> factory(MethodHandles.Lookup hidden)
      throws IllegalAccessException {
    try {
      MethodHandle constructor =
          hidden
              .findConstructor(
                  hidden.lookupClass(), MethodType.methodType(void.class, MemorySegment.class))
              .asType(MethodType.methodType(Object.class, MemorySegment.class));
      return memory -> {
        try {
          return constructor.invokeExact(memory);
        } catch (RuntimeException | Error e) {
          throw e;
        } catch (Throwable e) {
          throw new AssertionError(e); // it throws nothing else
        }
      };
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e); // it was just written
    }
  }

  /**
   * Turns a lookup into another module's open package into one that may define hidden classes
   * there, by asking from within.
   */
  static MethodHandles.Lookup lookupBeside(MethodHandles.Lookup in) throws IllegalAccessException {
    Class<?> neighbour = in.lookupClass();
    ClassDesc name = ClassDesc.of(neighbour.getPackageName(), BESIDE);
    byte[] bytes =
        ClassFile.of()
            .build(
                name,
                builder ->
                    builder
                        .withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER)
                        .withMethodBody(
                            "lookup",
                            MethodTypeDesc.of(LOOKUP_CLASS),
                            ClassFile.ACC_STATIC,
                            code ->
                                code.invokestatic(
                                        desc(MethodHandles.class),
                                        "lookup",
                                        MethodTypeDesc.of(LOOKUP_CLASS))
                                    .areturn()));
    try {
      Class<?> beside;
      try {
        beside = in.defineClass(bytes);
      } catch (LinkageError e) {
        beside = in.findClass(neighbour.getPackageName() + "." + BESIDE); // defined before
      }
      MethodType type = MethodType.methodType(MethodHandles.Lookup.class);
      return (MethodHandles.Lookup) in.findStatic(beside, "lookup", type).invokeExact();
    } catch (IllegalAccessException e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("lookup must be found beside " + neighbour, e);
    }
  }

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  private static DynamicConstantDesc<?> constantAt(int index, ClassDesc type) {
    return DynamicConstantDesc.ofNamed(
        ConstantDescs.ofConstantBootstrap(
            desc(MethodHandles.class), "classDataAt", CD_Object, CD_int),
        ConstantDescs.DEFAULT_NAME,
        type,
        index);
  }
}
