package dev.millrace.queues.messages;

import dev.millrace.queues.history.KilledWriter;
import dev.millrace.testkit.OtherJvm;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * A JVM in which this library's classes call {@link Stop#step} before each access that orders
 * something or that other threads see: where a process may be killed.
 *
 * <p>Tests start hundreds of them. So the classes are rewritten once for all, and archived with
 * those of the JDK that they need. A JVM then starts in a third of the processor time.
 */
public final class SteppingJvm {
  private static final String OURS = "dev/millrace";
  private static final ClassDesc STOP = ClassDesc.of(Stop.class.getName());
  private static final MethodTypeDesc STEP = MethodTypeDesc.of(ConstantDescs.CD_void);
  private static final Set<String> ACCESSORS =
      Set.of("java/lang/invoke/VarHandle", "dev/millrace/core/Sequence");
  private static final CodeTransform STEPS =
      (builder, element) -> {
        if (element instanceof InvokeInstruction invoke
            && ACCESSORS.contains(invoke.owner().asInternalName())
            && !invoke.name().equalsString("<init>")) {
          builder.invokestatic(STOP, "step", STEP);
        }
        builder.with(element);
      };

  private SteppingJvm() {}

  /**
   * Starts one. What it reports as errors appears among those of this one.
   *
   * @throws IOException if it cannot be started
   */
  public static Process start(Class<?> program, Object... arguments) throws IOException {
    ProcessBuilder jvm = Classes.MADE.in(OtherJvm.of(program, arguments));
    jvm.command().add(1, "-XX:SharedArchiveFile=" + Classes.MADE.archive());
    return jvm.redirectError(ProcessBuilder.Redirect.INHERIT).start();
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

  /** Does a little of all that programs do. What it has loaded is archived. */
  static final class Rehearsal {
    private Rehearsal() {}

    /**
     * Does it in a folder.
     *
     * @throws Exception if it fails
     */
    public static void main(String[] args) throws Exception {
      Path folder = Path.of(args[0]);
      try (MessageQueue queue =
          MessageQueue.mpsc(KilledPeer.OPTIONS, folder.resolve("rehearsed.queue"))) {
        MessageProducer producer = queue.newProducer();
        KilledPeer.write(producer.claim(1, KilledPeer.length(0)), 0);
        producer.commit();
        MessageConsumer consumer = queue.newConsumer();
        long _ = KilledPeer.check(consumer.poll(), 0, 0);
        consumer.release();
      }
      String ring = folder.resolve("rehearsed.ring").toString();
      KilledWriter.main("true", ring, folder.resolve("rehearsed.notes").toString(), "-1");
    }
  }

  /**
   * The classes, as the JVMs find them.
   *
   * @param path a class path of archives
   * @param archive what the JVM has made of them
   */
  private record Classes(String path, Path archive) {
    static final Classes MADE = make();

    private static Classes make() {
      try {
        Path folder = Files.createTempDirectory("stepping");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(folder)));
        Path jar = folder.resolve("stepping.jar");
        List<String> path = new ArrayList<>(List.of(jar.toString()));
        try (JarOutputStream ours = new JarOutputStream(Files.newOutputStream(jar))) {
          for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!tryRewrite(Path.of(entry), ours)) {
              path.add(entry);
            }
          }
        }
        Classes made = new Classes(String.join(File.pathSeparator, path), folder.resolve("jsa"));
        ProcessBuilder jvm = made.in(OtherJvm.of(Rehearsal.class, folder));
        jvm.command().add(1, "-XX:ArchiveClassesAtExit=" + made.archive);
        Path said = folder.resolve("said");
        int code = jvm.redirectErrorStream(true).redirectOutput(said.toFile()).start().waitFor();
        if (code != 0) {
          throw new IOException("rehearsal failed: " + Files.readString(said));
        }
        return made;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Lets a JVM that is not yet started use them. */
    ProcessBuilder in(ProcessBuilder jvm) {
      jvm.command().set(jvm.command().indexOf("-cp") + 1, path);
      return jvm;
    }

    /** Rewrites what a folder or an archive has of ours; returns whether it has any. */
    private static boolean tryRewrite(Path entry, JarOutputStream to) throws IOException {
      if (!entry.toString().endsWith(".jar")) {
        return tryRewriteAll(entry, to);
      }
      try (FileSystem archive = FileSystems.newFileSystem(entry)) {
        return tryRewriteAll(archive.getPath("/"), to);
      }
    }

    private static boolean tryRewriteAll(Path root, JarOutputStream to) throws IOException {
      if (!Files.isDirectory(root.resolve(OURS))) {
        return false;
      }
      try (Stream<Path> files = Files.walk(root.resolve(OURS))) {
        for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
          to.putNextEntry(new JarEntry(root.relativize(file).toString()));
          to.write(rewritten(file));
        }
      }
      return true;
    }

    private static byte[] rewritten(Path file) throws IOException {
      byte[] bytes = Files.readAllBytes(file);
      ClassFile format = ClassFile.of();
      return file.toString().endsWith(".class")
          ? format.transformClass(
              format.parse(bytes), ClassTransform.transformingMethodBodies(STEPS))
          : bytes;
    }

    private static void remove(Path folder) {
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted((one, other) -> other.compareTo(one)).forEach(file -> file.toFile().delete());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
