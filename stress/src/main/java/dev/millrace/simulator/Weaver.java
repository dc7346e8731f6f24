package dev.millrace.simulator;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.FieldRefEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Rewrites a class so that all it does with shared variables, fences and threads goes through the
 * simulation. What it cannot rewrite it refuses, naming the instruction.
 */
final class Weaver {
  /*
   *   VarHandle.getAcquire(...) and the like  ->  invokedynamic of Linker.handle, same name and type
   *   getfield, putfield of mutable fields    ->  invokedynamic of Linker.field; beside each such
   *                                               field there is a companion that holds its Location
   *   MemorySegment.get, set                  ->  invokedynamic of Linker.segment
   *   methods that Hooks replaces             ->  invokestatic of the hook
   *
   * The values of mutable fields are in their locations; the fields themselves stay zero.
   */
  private static final ClassDesc VAR_HANDLE = VarHandleNames.VAR_HANDLE;
  private static final ClassDesc MEMORY_SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
  private static final ClassDesc LINKER = ClassDesc.of(Linker.class.getName());
  private static final ClassDesc HOOKS = ClassDesc.of(Hooks.class.getName());

  private static final DirectMethodHandleDesc HANDLE = bootstrap("handle", ConstantDescs.CD_int);
  private static final DirectMethodHandleDesc FIELD = bootstrap("field", ConstantDescs.CD_String);
  private static final DirectMethodHandleDesc SEGMENT = bootstrap("segment", ConstantDescs.CD_int);

  private static final Map<String, String> HOOKED = hooked();

  private final Predicate<String> isWoven;
  private final Function<String, byte[]> bytes;
  private final Map<String, ClassModel> models = new HashMap<>();
  private final ClassFile classFile;

  /**
   * Makes a weaver.
   *
   * @param isWoven says of a class's name, with dots, whether that class is woven too
   * @param bytes finds a class's bytes by its name with dots; null if there are none
   */
  Weaver(Predicate<String> isWoven, Function<String, byte[]> bytes) {
    this.isWoven = isWoven;
    this.bytes = bytes;
    this.classFile =
        ClassFile.of(
            ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(Weaver.class.getClassLoader())
                    .orElse(ClassHierarchyResolver.defaultResolver())));
  }

  private static DirectMethodHandleDesc bootstrap(String name, ClassDesc argument) {
    return MethodHandleDesc.ofMethod(
        DirectMethodHandleDesc.Kind.STATIC,
        LINKER,
        name,
        MethodTypeDesc.of(
            ConstantDescs.CD_CallSite,
            ConstantDescs.CD_MethodHandles_Lookup,
            ConstantDescs.CD_String,
            ConstantDescs.CD_MethodType,
            argument));
  }

  /** The hooks' names by the methods that they replace. */
  private static Map<String, String> hooked() {
    Map<String, String> hooks = new HashMap<>();
    for (Method method : Hooks.class.getDeclaredMethods()) {
      Hooks.Replaces replaces = method.getAnnotation(Hooks.Replaces.class);
      if (replaces != null) {
        MethodTypeDesc type =
            MethodTypeDesc.ofDescriptor(
                MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                    .descriptorString());
        if (!replaces.isStatic()) {
          type = type.dropParameterTypes(0, 1);
        }
        String owner = replaces.value().getName().replace('.', '/');
        hooks.put(owner + "." + method.getName() + type.descriptorString(), method.getName());
      }
    }
    return hooks;
  }

  /** Weaves a class. */
  byte[] weave(byte[] original) {
    ClassModel model = classFile.parse(original);
    return classFile.transformClass(model, new ClassWeaving(model));
  }

  private final class ClassWeaving implements ClassTransform {
    private final ClassModel model;
    private final String className;

    ClassWeaving(ClassModel model) {
      this.model = model;
      this.className = model.thisClass().asInternalName().replace('/', '.');
    }

    @Override
    public void accept(ClassBuilder builder, ClassElement element) {
      if (element instanceof FieldModel field) {
        builder.with(field);
        if (isMutable(field) && isUsed(model, field)) {
          builder.withField(
              Access.COMPANION + field.fieldName().stringValue(),
              ConstantDescs.CD_Object,
              ClassFile.ACC_PUBLIC | ClassFile.ACC_SYNTHETIC | ClassFile.ACC_TRANSIENT);
        }
      } else if (element instanceof MethodModel method) {
        if (method.flags().has(AccessFlag.SYNCHRONIZED)) {
          throw refused(method, "synchronized method");
        }
        boolean speculative = isSpeculative(method);
        builder.transformMethod(
            method,
            MethodTransform.transformingCode(
                (code, instruction) -> weave(code, instruction, method, speculative)));
      } else {
        builder.with(element);
      }
    }

    private void weave(
        CodeBuilder code, CodeElement element, MethodModel method, boolean speculative) {
      switch (element) {
        case FieldInstruction field when isWovenField(field, method) -> {
          boolean get = field.opcode() == Opcode.GETFIELD;
          ClassDesc owner = field.owner().asSymbol();
          boolean isVolatile = field(field).flags().has(AccessFlag.VOLATILE);
          String name = (get ? "get" : "set") + (isVolatile ? "Volatile" : "");
          MethodTypeDesc type =
              get
                  ? MethodTypeDesc.of(field.typeSymbol(), owner)
                  : MethodTypeDesc.of(ConstantDescs.CD_void, owner, field.typeSymbol());
          code.invokedynamic(DynamicCallSiteDesc.of(FIELD, name, type, field.name().stringValue()));
        }
        case InvokeInstruction call -> weave(code, call, method, speculative);
        case InvokeDynamicInstruction call -> {
          for (ConstantDesc argument : call.bootstrapArgs()) {
            checkReference(method, argument);
          }
          code.with(element);
        }
        case ConstantInstruction constant -> {
          checkReference(method, constant.constantValue());
          code.with(element);
        }
        case MonitorInstruction monitor -> throw refused(method, "synchronized block");
        default -> code.with(element);
      }
    }

    private void weave(
        CodeBuilder code, InvokeInstruction call, MethodModel method, boolean speculative) {
      String owner = call.owner().asInternalName();
      String name = call.name().stringValue();
      MethodTypeDesc type = call.typeSymbol();
      boolean isStatic = call.opcode() == Opcode.INVOKESTATIC;
      String hook = HOOKED.get(owner + "." + name + type.descriptorString());
      if (hook != null) {
        boolean speculativeCopy =
            speculative && name.equals("copy") && type.parameterType(2).equals(MEMORY_SEGMENT);
        code.invokestatic(
            HOOKS,
            speculativeCopy ? "speculativeCopy" : hook,
            isStatic ? type : type.insertParameterTypes(0, call.owner().asSymbol()));
      } else if (owner.equals("java/lang/invoke/VarHandle") && VarHandleNames.isAccess(name)) {
        checkShape(method, name, type);
        code.invokedynamic(
            DynamicCallSiteDesc.of(
                HANDLE, name, type.insertParameterTypes(0, VAR_HANDLE), speculative ? 1 : 0));
      } else if (isSegmentAccess(owner, name)) {
        code.invokedynamic(
            DynamicCallSiteDesc.of(
                SEGMENT, name, type.insertParameterTypes(0, MEMORY_SEGMENT), speculative ? 1 : 0));
      } else {
        String reason = Supported.whyNot(owner, name, type);
        if (reason != null && !isWoven.test(owner.replace('/', '.'))) {
          throw refused(method, owner.replace('/', '.') + "." + name + ": " + reason);
        }
        code.with(call);
      }
    }

    /** A method reference is called by others, unwoven, so it must be of a method that may be. */
    private void checkReference(MethodModel method, ConstantDesc constant) {
      if (constant instanceof DirectMethodHandleDesc reference) {
        String owner = reference.owner().descriptorString();
        owner = owner.substring(1, owner.length() - 1);
        String name = reference.methodName();
        boolean isReplaced =
            HOOKED.containsKey(owner + "." + name + reference.lookupDescriptor())
                || isSegmentAccess(owner, name);
        String reason = isReplaced ? "write a lambda" : whyNot(owner, name, reference);
        if (reason != null && !isWoven.test(owner.replace('/', '.'))) {
          throw refused(method, owner.replace('/', '.') + "." + name + " by reference: " + reason);
        }
      }
    }

    private static boolean isSegmentAccess(String owner, String name) {
      return owner.equals("java/lang/foreign/MemorySegment")
          && (name.equals("get") || name.equals("set"));
    }

    private String whyNot(String owner, String name, DirectMethodHandleDesc reference) {
      String type = reference.lookupDescriptor();
      return type.startsWith("(")
          ? Supported.whyNot(owner, name, MethodTypeDesc.ofDescriptor(type))
          : null;
    }

    /** Handles are of fields or of memory: one owner, or a segment and an offset; then values. */
    private void checkShape(MethodModel method, String name, MethodTypeDesc type) {
      boolean inMemory = type.parameterCount() > 0 && type.parameterType(0).equals(MEMORY_SEGMENT);
      int coordinates = inMemory ? 2 : 1;
      int values = type.parameterCount() - coordinates;
      boolean supported =
          values == VarHandleNames.valuesOf(name)
              && !type.parameterType(0).isPrimitive()
              && !type.parameterType(0).isArray()
              && (!inMemory || type.parameterType(1).equals(ConstantDescs.CD_long));
      ClassDesc value = values > 0 ? type.parameterType(coordinates) : type.returnType();
      String descriptor = value.descriptorString();
      if (!supported
          || descriptor.equals("D")
          || descriptor.equals("F")
          || (inMemory && !value.isPrimitive())) {
        throw refused(method, "VarHandle." + name + type.displayDescriptor());
      }
    }

    private boolean isWovenField(FieldInstruction instruction, MethodModel method) {
      FieldModel field = field(instruction);
      if (field == null || field.flags().has(AccessFlag.FINAL)) {
        return false;
      }
      if (field.flags().has(AccessFlag.STATIC)) {
        throw refused(method, "static field that is not final: " + field.fieldName().stringValue());
      }
      return true;
    }

    private UnsupportedOperationException refused(MethodModel method, String what) {
      return new UnsupportedOperationException(
          "the simulator does not support "
              + what
              + ", in "
              + className
              + "."
              + method.methodName());
    }
  }

  // ---- fields ----

  private static boolean isMutable(FieldModel field) {
    return !field.flags().has(AccessFlag.FINAL) && !field.flags().has(AccessFlag.STATIC);
  }

  /** Padding is not: a private field that no instruction of its nest names, nor any string. */
  private boolean isUsed(ClassModel model, FieldModel field) {
    if (!field.flags().has(AccessFlag.PRIVATE)) {
      return true;
    }
    String name = field.fieldName().stringValue();
    if (isNamed(model, name)) {
      return true;
    }
    ClassModel host =
        model
            .findAttribute(Attributes.nestHost())
            .map(attribute -> model(attribute.nestHost().asInternalName().replace('/', '.')))
            .orElse(model);
    return host != null
        && (isNamed(host, name)
            || host.findAttribute(Attributes.nestMembers()).stream()
                .flatMap(attribute -> attribute.nestMembers().stream())
                .map(member -> model(member.asInternalName().replace('/', '.')))
                .anyMatch(member -> member != null && isNamed(member, name)));
  }

  private static boolean isNamed(ClassModel model, String name) {
    for (var entry : model.constantPool()) {
      if (entry instanceof StringEntry string && string.stringValue().equals(name)) {
        return true;
      }
      if (entry instanceof FieldRefEntry reference && reference.name().equalsString(name)) {
        return true;
      }
    }
    return false;
  }

  /** The field of a woven class that an instruction means; null if it is another's. */
  private FieldModel field(FieldInstruction instruction) {
    String owner = instruction.owner().asInternalName().replace('/', '.');
    while (owner != null && isWoven.test(owner)) {
      ClassModel model = model(owner);
      if (model == null) {
        return null;
      }
      for (FieldModel field : model.fields()) {
        if (field.fieldName().equalsString(instruction.name().stringValue())) {
          return field;
        }
      }
      owner = model.superclass().map(c -> c.asInternalName().replace('/', '.')).orElse(null);
    }
    return null;
  }

  private ClassModel model(String name) {
    return models.computeIfAbsent(
        name,
        key -> {
          byte[] found = bytes.apply(key);
          return found == null ? null : classFile.parse(found);
        });
  }

  /** Whether a method is annotated {@code @Speculative}, of whatever package. */
  private static boolean isSpeculative(MethodModel method) {
    return method
        .findAttribute(Attributes.runtimeInvisibleAnnotations())
        .map(
            attribute ->
                attribute.annotations().stream()
                    .anyMatch(a -> a.className().stringValue().endsWith("/Speculative;")))
        .orElse(false);
  }

  /** The names of a VarHandle's access methods. */
  static final class VarHandleNames {
    static final ClassDesc VAR_HANDLE = ClassDesc.of("java.lang.invoke.VarHandle");

    private static final Set<String> ACCESSES =
        Arrays.stream(VarHandle.AccessMode.values())
            .map(VarHandle.AccessMode::methodName)
            .collect(Collectors.toUnmodifiableSet());

    private VarHandleNames() {}

    static boolean isAccess(String name) {
      return ACCESSES.contains(name);
    }

    static int valuesOf(String name) {
      if (name.contains("ompareAnd")) {
        return 2;
      }
      return name.startsWith("get") && !name.startsWith("getAnd") ? 0 : 1;
    }
  }
}
