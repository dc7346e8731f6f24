package dev.millrace.simulator;

import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;

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
          "dropArguments",
          "identity",
          "constant",
          "zero",
          "publicLookup");

  private static final Set<String> MONITOR = Set.of("wait", "notify", "notifyAll");

  private Supported() {}

  /** Why a method must not be called; null if it may be. */
  static String whyNot(String owner, String name, MethodTypeDesc type) {
    boolean supported =
        switch (owner) {
          case "java/lang/Object" -> !MONITOR.contains(name);
          case "java/lang/Thread" -> THREAD.contains(name);
          case "java/util/concurrent/TimeoutException" -> true;
          case "java/util/concurrent/TimeUnit" ->
              !name.equals("sleep") && !name.startsWith("timed");
          case "java/lang/foreign/MemorySegment" -> SEGMENT.contains(name);
          case "java/lang/foreign/Arena" ->
              name.equals("allocate") || name.equals("scope") || name.equals("close");
          case "java/lang/invoke/MethodHandles", "java/lang/invoke/MethodHandles$Lookup" ->
              LOOKUP.contains(name);
          case "java/lang/invoke/VarHandle" -> false;
          case "sun/misc/Unsafe" -> false;
          case "java/lang/Runtime" -> name.equals("getRuntime");
          case "java/lang/System" -> !name.equals("currentTimeMillis");
          default ->
              !owner.startsWith("java/util/concurrent/")
                  && !(owner.startsWith("java/lang/foreign/") && name.startsWith("allocate"));
        };
    if (!supported) {
      return "it is shared memory, time or threads that the simulation does not see";
    }
    boolean makesHandle = type.returnType().equals(ClassDesc.of("java.lang.invoke.VarHandle"));
    return makesHandle ? "a handle must be of a field, or of a value layout" : null;
  }
}
