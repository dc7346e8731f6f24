package dev.millrace.queues.messages;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;

/**
 * Loads this library's classes so that they call {@link Stop#step} before each access that orders
 * something or that other threads see: where a process may be killed.
 */
public final class SteppingLoader extends ClassLoader {
  private static final String OURS = "dev.millrace.";
  private static final ClassDesc STOP = ClassDesc.of(Stop.class.getName());
  private static final MethodTypeDesc STEP = MethodTypeDesc.of(ConstantDescs.CD_void);
  private static final Set<String> ACCESSORS =
      Set.of("java/lang/invoke/VarHandle", "dev/millrace/core/Sequence");

  /**
   * Calls a class's {@code run}, with classes that can be stopped.
   *
   * @throws Exception if the classes cannot be loaded
   */
  public static void run(Class<?> program, String... args) throws Exception {
    Class<?> stepping = new SteppingLoader(program.getClassLoader()).loadClass(program.getName());
    stepping.getMethod("run", String[].class).invoke(null, (Object) args);
  }

  /** Stops the process at one of its steps, for good. */
  public static final class Stop {
    private static long stepsLeft = -1;

    private Stop() {}

    /** Stops at a step from now on, counted from 1. */
    public static void at(long step) {
      stepsLeft = step;
    }

    /** Takes a step. */
    public static void step() {
      if (stepsLeft > 0 && --stepsLeft == 0) {
        System.out.println("stopped");
        System.out.flush();
        while (true) {
          try {
            Thread.sleep(Long.MAX_VALUE);
          } catch (InterruptedException e) {
            // nobody does that
          }
        }
      }
    }
  }

  /**
   * Makes a loader.
   *
   * @param parent loads all other classes
   */
  public SteppingLoader(ClassLoader parent) {
    super(parent);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS) || name.equals(Stop.class.getName())) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      byte[] bytes = stepping(name);
      return defineClass(name, bytes, 0, bytes.length);
    }
  }

  private byte[] stepping(String name) throws ClassNotFoundException {
    try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (file == null) {
        throw new ClassNotFoundException(name);
      }
      ClassFile format = ClassFile.of();
      CodeTransform steps =
          (builder, element) -> {
            if (element instanceof InvokeInstruction invoke
                && ACCESSORS.contains(invoke.owner().asInternalName())
                && !invoke.name().equalsString("<init>")) {
              builder.invokestatic(STOP, "step", STEP);
            }
            builder.with(element);
          };
      return format.transformClass(
          format.parse(file.readAllBytes()), ClassTransform.transformingMethodBodies(steps));
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }
}
