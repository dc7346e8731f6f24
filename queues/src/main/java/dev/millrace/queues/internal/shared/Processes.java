package dev.millrace.queues.internal.shared;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;

/** What the system knows of processes. On Linux it is asked for exact starts; see proc(5). */
final class Processes {
  private static final Path PROC = Path.of("/proc");
  private static final boolean HAS_PROC = Files.isReadable(PROC.resolve("self/stat"));

  // fields of /proc/PID/stat behind the name, which ends with the last parenthesis
  private static final int FLAGS = 6;
  private static final int START_TICKS = 19;
  private static final long EXITING = 0x4; // the kernel's PF_EXITING, which a zombie has too

  private static final long NONE = -1;

  private static final ProcessId SELF = findSelf();

  private Processes() {}

  /** This process. */
  static ProcessId self() {
    return SELF;
  }

  /**
   * Whether the process of a ticket runs no longer. A process of another namespace cannot be asked
   * for and counts as ended.
   */
  static boolean hasEnded(long ticket) {
    if (!SELF.isOfSamePlace(ticket)) {
      return true;
    }
    long pid = ProcessId.pidOf(ticket);
    long startMark = pid == SELF.pid() ? SELF.startMark() : startMark(pid);
    return startMark == NONE || !ProcessId.isStart(startMark, ticket);
  }

  private static ProcessId findSelf() {
    ProcessHandle self = ProcessHandle.current();
    UUID boot = bootId();
    return new ProcessId(
        self.pid(),
        startMillis(self),
        startMark(self.pid()),
        namespace(),
        boot.getMostSignificantBits(),
        boot.getLeastSignificantBits());
  }

  private static long startMillis(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }

  /** When a process started; {@link #NONE} if there is none, or it is about to end. */
  private static long startMark(long pid) {
    if (!HAS_PROC) {
      return ProcessHandle.of(pid)
          .filter(ProcessHandle::isAlive)
          .map(Processes::startMillis)
          .orElse(NONE);
    }
    String stat = read(PROC.resolve(pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
    if (fields.length <= START_TICKS) {
      return NONE;
    }
    boolean isExiting = (Long.parseLong(fields[FLAGS]) & EXITING) != 0;
    return isExiting ? NONE : Long.parseLong(fields[START_TICKS]);
  }

  private static UUID bootId() {
    String id = read(PROC.resolve("sys/kernel/random/boot_id")).strip();
    return id.isEmpty() ? new UUID(0, 0) : UUID.fromString(id);
  }

  /** The number in {@code pid:[4026531836]}. */
  private static long namespace() {
    try {
      String link = Files.readSymbolicLink(PROC.resolve("self/ns/pid")).toString();
      return Long.parseLong(link.replaceAll("\\D", ""));
    } catch (IOException | UnsupportedOperationException | NumberFormatException e) {
      return 0;
    }
  }

  /** A small file's text; empty if it cannot be read. */
  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }
}
