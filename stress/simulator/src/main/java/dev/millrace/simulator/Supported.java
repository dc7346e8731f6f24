package dev.millrace.simulator;

import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which methods of the JDK woven code may call as they are: those that touch neither shared memory
 * nor threads. The weaver refuses the others of the packages that could.
 */
final class Supported {
  private static final Set<String> THREAD = Set.of("isVirtual", "getName", "toString");

  private static final Set<String> SEGMENT =
      Set.of(
          "byteSize",
          "address",
          "isNative",
          "asSlice",
          "equals",
          "hashCode",
          "toString",
          "isReadOnly",
          "asReadOnly",
          "ofArray");

  private static final Set<String> LOOKUP =
      Set.of(
          "lookupClass",
          "lookup",
          "privateLookupIn",
          "hasFullPrivilegeAccess",
          "defineClass",
          "findClass",
          "findVirtual",
          "findStatic",
          "findConstructor",
          "findGetter",
          "unreflect",
          "unreflectConstructor",
          "classData",
          "empty",
          "insertArguments",
          "filterArguments",
          "filterReturnValue",
          "collectArguments",
          "foldArguments",
          "permuteArguments",
          "guardWithTest",
          "tableSwitch",
          "throwException",
          "dropArguments",
          "identity",
          "constant",
          "zero",
          "publicLookup");

  /** Methods of a field, by reflection, that access it. */
  private static final Pattern FIELD_VALUES =
      Pattern.compile("(get|set)(Boolean|Byte|Char|Short|Int|Long|Float|Double)?");

  private static final Set<String> MONITOR = Set.of("wait", "notify", "notifyAll");

  /** Classes none of whose methods may be called: values by thread, time, and native code. */
  private static final Set<String> REFUSED =
      Set.of(
          "java/lang/ThreadLocal",
          "java/lang/InheritableThreadLocal",
          "java/lang/ScopedValue",
          "java/lang/ThreadGroup",
          "java/lang/foreign/Linker",
          "java/lang/foreign/SymbolLookup",
          "java/lang/invoke/VarHandle",
          "java/nio/MappedByteBuffer",
          "java/time/Clock",
          "java/time/InstantSource",
          "java/util/Timer",
          "java/util/TimerTask",
          "sun/misc/Unsafe");

  private static final Set<String> PARALLEL =
      Set.of(
          "parallel",
          "parallelStream",
          "parallelPrefix",
          "parallelSetAll",
          "parallelSort",
          "allocateDirect");

  private Supported() {}

  /** Whether a descriptor, or an array's internal name, is of an array of references. */
  static boolean isOfReferences(String descriptor) {
    return descriptor.startsWith("[L") || descriptor.startsWith("[[");
  }

  /** Why a method must not be called; null if it may be. */
  static String whyNot(String owner, String name, MethodTypeDesc type) {
    if (owner.equals("java/util/Arrays") && isOfOtherReferences(type)) {
      return "it uses an array of references in a way that the simulation does not see";
    }
    boolean isRefused =
        REFUSED.contains(owner)
            || (PARALLEL.contains(name) && owner.startsWith("java/"))
            || (owner.startsWith("java/time/") && name.equals("now"));
    boolean supported = !isRefused && (isSupported(owner, name) || makesLock(owner, name, type));
    if (!supported) {
      return "it is shared memory, time or threads that the simulation does not see";
    }
    boolean makesHandle = type.returnType().equals(ClassDesc.of("java.lang.invoke.VarHandle"));
    return makesHandle ? "a handle must be of a field, an array or a value layout" : null;
  }

  /** Whether it makes a lock that promises no order. */
  private static boolean makesLock(String owner, String name, MethodTypeDesc type) {
    return owner.equals("java/util/concurrent/locks/ReentrantLock")
        && name.equals(ConstantDescs.INIT_NAME)
        && type.parameterCount() == 0;
  }

  /** Whether an array of references is given to a method, but not as the last of its parameters. */
  private static boolean isOfOtherReferences(MethodTypeDesc type) {
    return type.parameterList().stream()
        .limit(Math.max(0, type.parameterCount() - 1))
        .anyMatch(parameter -> isOfReferences(parameter.descriptorString()));
  }

  private static boolean isSupported(String owner, String name) {
    return switch (owner) {
      case "java/lang/Object" -> !MONITOR.contains(name);
      case "java/lang/Thread" -> THREAD.contains(name);
      case "java/util/concurrent/TimeoutException", "java/util/concurrent/locks/Condition" -> true;
      case "java/util/concurrent/TimeUnit" -> !name.equals("sleep") && !name.startsWith("timed");
      case "java/lang/foreign/MemorySegment" -> SEGMENT.contains(name);
      case "java/lang/foreign/Arena" ->
          name.equals("allocate")
              || name.equals("scope")
              || name.equals("close")
              || name.equals("global"); // whose memory is constant: only mismatch can read it
      case "java/lang/invoke/MethodHandles", "java/lang/invoke/MethodHandles$Lookup" ->
          LOOKUP.contains(name);
      case "java/lang/reflect/Field" -> !FIELD_VALUES.matcher(name).matches();
      case "java/lang/reflect/Array" -> name.equals("newInstance") || name.equals("getLength");
      case "java/nio/channels/FileChannel" -> !name.equals("map");
      case "java/lang/Runtime" -> name.equals("getRuntime");
      default ->
          !owner.startsWith("java/util/concurrent/")
              && !(owner.startsWith("java/lang/foreign/") && name.startsWith("allocate"));
    };
  }
}
