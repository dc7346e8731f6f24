package dev.millrace.simulator;

import java.lang.classfile.AccessFlags;
import java.lang.classfile.Annotation;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.FieldModel;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.FieldRefEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Rewrites a class so that all it does with shared variables, fences and threads goes through the
 * simulation. What it cannot rewrite fails the execution that comes to it, naming the instruction.
 */
final class Weaver {
  /*
   *   VarHandle.getAcquire(...) and the like  ->  invokedynamic of Linker.handle, same name and type
   *   getfield, putfield of mutable fields    ->  invokedynamic of Linker.field; beside each such
   *                                               field there is a companion that holds its Location
   *   MemorySegment.get, set                  ->  invokedynamic of Linker.segment
   *   aaload                                  ->  a call of Hooks.loadElement before it
   *   aastore                                 ->  a call of Hooks.storeElement
   *   monitorenter, monitorexit               ->  a call of Hooks.enter, Hooks.exit; likewise around
   *                                               the code of a synchronized method
   *   methods that Hooks replaces             ->  invokedynamic of Linker.hook
   *   methods that the weaving replaces       ->  invokestatic of what replaces them
   *   what is refused                         ->  a call of Hooks.refuse before it
   *
   * The values of mutable fields are in their locations; the fields themselves stay zero. Elements of
   * arrays have locations too, but the array itself also holds what was written last, for code that
   * is not woven: to it arrays are handed as they are.
   */
  private static final ClassDesc VAR_HANDLE = ClassDesc.of("java.lang.invoke.VarHandle");
  private static final ClassDesc MEMORY_SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
  private static final ClassDesc LINKER = ClassDesc.of(Linker.class.getName());
  private static final ClassDesc OBJECTS = ConstantDescs.CD_Object.arrayType();

  private static final DirectMethodHandleDesc HANDLE = bootstrap("handle", ConstantDescs.CD_int);
  private static final DirectMethodHandleDesc FIELD =
      bootstrap("field", ConstantDescs.CD_String, ConstantDescs.CD_int);
  private static final DirectMethodHandleDesc SEGMENT = bootstrap("segment", ConstantDescs.CD_int);
  private static final DirectMethodHandleDesc HOOK = bootstrap("hook");

  private static final MethodTypeDesc ON_MONITOR =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object);

  private static final MethodTransform UNSYNCHRONIZED =
      (method, element) -> {
        if (element instanceof AccessFlags flags) {
          method.withFlags(flags.flagsMask() & ~ClassFile.ACC_SYNCHRONIZED);
        } else {
          method.with(element);
        }
      };

  private static final Map<String, String> HOOKED = Weaving.replacedBy(Hooks.class);

  /** Constants of these are handles that no call makes, so none that a hook could replace. */
  private static final Set<String> HANDLE_CONSTANTS =
      Set.of("fieldVarHandle", "staticFieldVarHandle", "arrayVarHandle");

  private final Weaving weaving;
  private final Function<String, byte[]> bytes;
  private final Map<String, ClassModel> models = new HashMap<>();
  private final Map<String, Boolean> mayHaveHandle = new HashMap<>(); // by field
  private final ClassFile classFile;

  /**
   * Makes a weaver.
   *
   * @param weaving what is woven, and how
   * @param bytes finds a class's bytes by its name with dots; null if there are none
   */
  Weaver(Weaving weaving, Function<String, byte[]> bytes) {
    this.weaving = weaving;
    this.bytes = bytes;
    this.classFile =
        ClassFile.of(
            ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(Weaver.class.getClassLoader())
                    .orElse(ClassHierarchyResolver.defaultResolver())));
  }

  private static DirectMethodHandleDesc bootstrap(String name, ClassDesc... arguments) {
    MethodTypeDesc type =
        MethodTypeDesc.of(
            ConstantDescs.CD_CallSite,
            ConstantDescs.CD_MethodHandles_Lookup,
            ConstantDescs.CD_String,
            ConstantDescs.CD_MethodType);
    return MethodHandleDesc.ofMethod(
        DirectMethodHandleDesc.Kind.STATIC,
        LINKER,
        name,
        type.insertParameterTypes(type.parameterCount(), arguments));
  }

  private static void callHook(CodeBuilder code, String name, MethodTypeDesc type) {
    code.invokedynamic(DynamicCallSiteDesc.of(HOOK, name, type));
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
        weave(builder, method);
      } else {
        builder.with(element);
      }
    }

    private void weave(ClassBuilder builder, MethodModel method) {
      if (method.flags().has(AccessFlag.NATIVE)) {
        builder.withMethodBody(
            method.methodName(),
            method.methodType(),
            method.flags().flagsMask() & ~(ClassFile.ACC_NATIVE | ClassFile.ACC_SYNCHRONIZED),
            code -> {
              refuse(code, method, "native method");
              code.aconst_null().athrow();
            });
        return;
      }
      boolean speculative = isSpeculative(method);
      CodeTransform transform =
          (code, instruction) -> weave(code, instruction, method, speculative);
      if (isInitializer(method)) {
        transform = initializer(transform);
      }
      if (method.flags().has(AccessFlag.SYNCHRONIZED)) {
        MethodTransform monitor =
            MethodTransform.transformingCode(new MonitorWeaving(method, transform));
        builder.transformMethod(method, monitor.andThen(UNSYNCHRONIZED));
      } else {
        builder.transformMethod(method, MethodTransform.transformingCode(transform));
      }
    }

    private static boolean isInitializer(MethodModel method) {
      return method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME);
    }

    /** Takes the monitor of a synchronized method before its code, and gives it up behind. */
    private final class MonitorWeaving implements CodeTransform {
      private final boolean isStatic;
      private final CodeTransform transform;
      private Label start;

      MonitorWeaving(MethodModel method, CodeTransform transform) {
        this.isStatic = method.flags().has(AccessFlag.STATIC);
        this.transform = transform;
      }

      private void callHook(CodeBuilder code, String name) {
        if (isStatic) {
          code.ldc(model.thisClass());
        } else {
          code.aload(0);
        }
        Weaver.callHook(code, name, ON_MONITOR);
      }

      @Override
      public void atStart(CodeBuilder code) {
        callHook(code, "enter");
        start = code.newBoundLabel();
      }

      @Override
      public void accept(CodeBuilder code, CodeElement element) {
        if (element instanceof ReturnInstruction) {
          callHook(code, "exit");
        }
        transform.accept(code, element);
      }

      @Override
      public void atEnd(CodeBuilder code) {
        Label end = code.newBoundLabel();
        Label handler = code.newBoundLabel();
        callHook(code, "exit");
        code.athrow();
        code.exceptionCatchAll(start, end, handler);
      }
    }

    /** What a class initializer writes to arrays happens before all uses of the class. */
    private static CodeTransform initializer(CodeTransform transform) {
      return new CodeTransform() {
        @Override
        public void atStart(CodeBuilder code) {
          callHook(code, "beginInitializer", ConstantDescs.MTD_void);
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
          if (element instanceof ReturnInstruction) {
            callHook(code, "endInitializer", ConstantDescs.MTD_void);
          }
          transform.accept(code, element);
        }
      };
    }

    private void weave(
        CodeBuilder code, CodeElement element, MethodModel method, boolean speculative) {
      switch (element) {
        case FieldInstruction field when isWovenField(field) -> {
          boolean get = field.opcode() == Opcode.GETFIELD;
          ClassDesc owner = field.owner().asSymbol();
          FieldModel declared = field(field);
          if (declared.flags().has(AccessFlag.STATIC)) {
            refuse(code, method, "static field that is not final: " + field.name().stringValue());
            code.with(element);
            return;
          }
          boolean isVolatile = declared.flags().has(AccessFlag.VOLATILE);
          String name = (get ? "get" : "set") + (isVolatile ? "Volatile" : "");
          MethodTypeDesc type =
              get
                  ? MethodTypeDesc.of(field.typeSymbol(), owner)
                  : MethodTypeDesc.of(ConstantDescs.CD_void, owner, field.typeSymbol());
          String fieldName = field.name().stringValue();
          int keepsHistory = mayHaveHandle(declared) ? 1 : 0;
          code.invokedynamic(DynamicCallSiteDesc.of(FIELD, name, type, fieldName, keepsHistory));
        }
        case ArrayLoadInstruction load when load.opcode() == Opcode.AALOAD -> {
          code.dup2();
          callHook(
              code,
              "loadElement",
              MethodTypeDesc.of(ConstantDescs.CD_void, OBJECTS, ConstantDescs.CD_int));
          code.with(load); // its result has the type of the array's elements
        }
        case ArrayStoreInstruction store when store.opcode() == Opcode.AASTORE ->
            callHook(
                code,
                "storeElement",
                MethodTypeDesc.of(
                    ConstantDescs.CD_void, OBJECTS, ConstantDescs.CD_int, ConstantDescs.CD_Object));
        case InvokeInstruction call -> weave(code, call, method, speculative);
        case InvokeDynamicInstruction call -> {
          for (ConstantDesc argument : call.bootstrapArgs()) {
            checkReference(code, method, argument);
          }
          code.with(element);
        }
        case ConstantInstruction constant -> {
          checkReference(code, method, constant.constantValue());
          code.with(element);
        }
        case MonitorInstruction monitor ->
            callHook(code, monitor.opcode() == Opcode.MONITORENTER ? "enter" : "exit", ON_MONITOR);
        default -> code.with(element);
      }
    }

    private void weave(
        CodeBuilder code, InvokeInstruction call, MethodModel method, boolean speculative) {
      String owner = call.owner().asInternalName();
      String name = call.name().stringValue();
      MethodTypeDesc type = call.typeSymbol();
      boolean isStatic = call.opcode() == Opcode.INVOKESTATIC;
      String key = Weaving.key(owner, name, type.descriptorString());
      MethodTypeDesc replacing =
          isStatic || name.equals(ConstantDescs.INIT_NAME)
              ? type
              : type.insertParameterTypes(0, call.owner().asSymbol());
      ClassDesc replacement = weaving.replacement(key);
      String hook = HOOKED.get(key);
      if (replacement != null) {
        code.invokestatic(replacement, name, replacing);
      } else if (hook != null) {
        callHook(code, speculative ? speculativeHook(name, type, hook) : hook, replacing);
      } else if (owner.equals("java/lang/invoke/VarHandle") && HandleAccess.isAccess(name)) {
        if (!HandleAccess.isSupported(name, type)) {
          refuse(code, method, "VarHandle." + name + type.displayDescriptor());
          code.with(call);
          return;
        }
        code.invokedynamic(
            DynamicCallSiteDesc.of(
                HANDLE, name, type.insertParameterTypes(0, VAR_HANDLE), speculative ? 1 : 0));
      } else if (isSegmentAccess(owner, name)) {
        code.invokedynamic(
            DynamicCallSiteDesc.of(
                SEGMENT, name, type.insertParameterTypes(0, MEMORY_SEGMENT), speculative ? 1 : 0));
      } else {
        String reason = Supported.whyNot(owner, name, type);
        boolean isOfOthers = !weaving.isWoven(owner.replace('/', '.'));
        if (reason != null && isOfOthers) {
          refuse(code, method, owner.replace('/', '.') + "." + name + ": " + reason);
        }
        if (isOfOthers && takesArray(owner, name, type)) {
          code.dup(); // it is on top
          callHook(code, "loadElements", MethodTypeDesc.of(ConstantDescs.CD_void, OBJECTS));
        }
        code.with(call);
      }
    }

    /** The hook in a method whose reads are speculative. */
    private static String speculativeHook(String name, MethodTypeDesc type, String hook) {
      boolean isCopy = name.equals("copy") && type.parameterType(2).equals(MEMORY_SEGMENT);
      return isCopy ? "speculativeCopy" : name.equals("mismatch") ? "speculativeMismatch" : hook;
    }

    /** Whether a method that is not woven gets the elements of an array of references. */
    private static boolean takesArray(String owner, String name, MethodTypeDesc type) {
      int count = type.parameterCount();
      return count == 0
          ? owner.startsWith("[") && name.equals("clone") && Supported.isOfReferences(owner)
          : Supported.isOfReferences(type.parameterType(count - 1).descriptorString());
    }

    /** A method reference is called by others, unwoven, so it must be of a method that may be. */
    private void checkReference(CodeBuilder code, MethodModel method, ConstantDesc constant) {
      if (constant instanceof DynamicConstantDesc<?> dynamic
          && HANDLE_CONSTANTS.contains(dynamic.bootstrapMethod().methodName())) {
        refuse(code, method, "constant handle: " + dynamic.bootstrapMethod().methodName());
      }
      if (constant instanceof DirectMethodHandleDesc reference) {
        String owner = reference.owner().descriptorString();
        owner = owner.substring(1, owner.length() - 1);
        String name = reference.methodName();
        String key = Weaving.key(owner, name, reference.lookupDescriptor());
        boolean isReplaced =
            HOOKED.containsKey(key)
                || weaving.replacement(key) != null
                || isSegmentAccess(owner, name);
        String reason = isReplaced ? "write a lambda" : whyNot(owner, name, reference);
        if (reason != null && !weaving.isWoven(owner.replace('/', '.'))) {
          refuse(code, method, owner.replace('/', '.') + "." + name + " by reference: " + reason);
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

    private boolean isWovenField(FieldInstruction instruction) {
      FieldModel field = field(instruction);
      return field != null && !field.flags().has(AccessFlag.FINAL);
    }

    /**
     * Fails the execution when it comes to an instruction, which the caller leaves in place. In a
     * class initializer that would leave a class that fails otherwise from then on, so that is
     * refused at once.
     */
    private void refuse(CodeBuilder code, MethodModel method, String what) {
      String message =
          "the simulator does not support %s, in %s.%s"
              .formatted(what, className, method.methodName());
      if (isInitializer(method)) {
        throw new UnsupportedOperationException(message);
      }
      code.loadConstant(message);
      callHook(code, "refuse", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String));
    }
  }

  // ---- fields ----

  private static boolean isMutable(FieldModel field) {
    return !field.flags().has(AccessFlag.FINAL) && !field.flags().has(AccessFlag.STATIC);
  }

  /** Padding is not: a private field that no instruction of its nest names, nor any string. */
  private boolean isUsed(ClassModel model, FieldModel field) {
    String name = field.fieldName().stringValue();
    return !field.flags().has(AccessFlag.PRIVATE)
        || isInNest(model, member -> isNamed(member, name) || isNamedAsText(member, name));
  }

  /** Whether a string in the nest of a field's class is its name: there may be a handle of it. */
  private boolean mayHaveHandle(FieldModel field) {
    ClassModel model = field.parent().orElseThrow();
    String name = field.fieldName().stringValue();
    return mayHaveHandle.computeIfAbsent(
        model.thisClass().asInternalName() + "." + name,
        _ -> isInNest(model, member -> isNamedAsText(member, name)));
  }

  /** Whether something holds of a class or of one that is nested in the same class. */
  private boolean isInNest(ClassModel model, Predicate<ClassModel> test) {
    if (test.test(model)) {
      return true;
    }
    ClassModel host =
        model
            .findAttribute(Attributes.nestHost())
            .map(attribute -> model(attribute.nestHost().asInternalName().replace('/', '.')))
            .orElse(model);
    return host != null
        && (test.test(host)
            || host.findAttribute(Attributes.nestMembers()).stream()
                .flatMap(attribute -> attribute.nestMembers().stream())
                .map(member -> model(member.asInternalName().replace('/', '.')))
                .anyMatch(member -> member != null && test.test(member)));
  }

  private static boolean isNamed(ClassModel model, String name) {
    for (var entry : model.constantPool()) {
      if (entry instanceof FieldRefEntry reference && reference.name().equalsString(name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isNamedAsText(ClassModel model, String name) {
    for (var entry : model.constantPool()) {
      if (entry instanceof StringEntry string && string.stringValue().equals(name)) {
        return true;
      }
    }
    return false;
  }

  /** The field of a woven class that an instruction means; null if it is another's. */
  private FieldModel field(FieldInstruction instruction) {
    String owner = instruction.owner().asInternalName().replace('/', '.');
    while (owner != null && weaving.isWoven(owner)) {
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

  /** Whether a method has an annotation that lets it read speculatively. */
  private boolean isSpeculative(MethodModel method) {
    Stream<Annotation> visible =
        method.findAttribute(Attributes.runtimeVisibleAnnotations()).stream()
            .flatMap(attribute -> attribute.annotations().stream());
    Stream<Annotation> invisible =
        method.findAttribute(Attributes.runtimeInvisibleAnnotations()).stream()
            .flatMap(attribute -> attribute.annotations().stream());
    return Stream.concat(visible, invisible)
        .anyMatch(annotation -> weaving.isSpeculative(annotation.className().stringValue()));
  }
}
