package dev.millrace.queues.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.core.internal.ring.Claimers.Fate;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a file that is accepted though it is no whole ring of this kind, one that others may read
 * by default, one that is truncated or left half-made, and an observer that writes.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedFileTest {
  private static final RingSpec SPEC = Peer.SPEC;
  private static final FileOptions OPTIONS = FileOptions.defaults().withParticipants(5);

  @TempDir Path folder;

  private Path make() throws IOException {
    Path path = folder.resolve("ring");
    SharedFile.create(path, SPEC, OPTIONS, memory -> memory.set(ValueLayout.JAVA_LONG, 8, 7))
        .close();
    return path;
  }

  private static void refused(String message, Path path) {
    Throws.a(
        IOException.class,
        path + ": " + message,
        () -> SharedFile.attach(path, _ -> SPEC),
        () -> SharedFile.createOrAttach(path, SPEC, OPTIONS, _ -> {}));
  }

  private static void refusedToAll(String message, Path path) {
    refused(message, path);
    Throws.a(IOException.class, path + ": " + message, () -> SharedFile.observe(path, it -> it));
  }

  // ---- making and attaching ----

  @Test
  void create_makesAFileOfItsSize_forItsUserAlone() throws IOException {
    Path path = make();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rw-------");
    assertThat(path).hasSize(8192);
    try (SharedFile file = SharedFile.attach(path, _ -> SPEC)) {
      assertThat(file.dataOffset()).isEqualTo(256);
      assertThat(file.memory().byteSize()).isEqualTo(256 + 1_000);
      assertThat(file.memory().address() % 128).isZero();
      assertThat(file.memory().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(7);
      assertThat(file.memory().get(ValueLayout.JAVA_LONG, 0)).isZero();
      assertThat(file.spec()).isEqualTo(SPEC);
      assertThat(file.spec().setting("cells")).isEqualTo(64);
      assertThat(file.participants(null).count()).isEqualTo(5);
      assertThat(file).hasToString("SharedFile[%s, test{cells=64}]".formatted(path));
      Throws.illegalArgument("no such setting: other...", () -> file.spec().setting("other"));
    }
    try (var names = Files.list(folder)) {
      assertThat(names).containsExactly(path);
    }
  }

  @Test
  void create_withPermissions_givesThemWhateverTheMask() throws IOException {
    Path path = folder.resolve("ring");
    FileOptions options = OPTIONS.withPermissions(PosixFilePermissions.fromString("rw-rw-rw-"));
    SharedFile.create(path, SPEC, options, _ -> {}).close();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rw-rw-rw-");
  }

  @Test
  void create_whenThereIsAFile_leavesIt() throws IOException {
    Path path = make();
    byte[] before = Files.readAllBytes(path);
    Throws.a(
        FileAlreadyExistsException.class,
        path + ": file exists already",
        () -> SharedFile.create(path, SPEC, OPTIONS, _ -> {}));
    assertThat(Files.readAllBytes(path)).isEqualTo(before);
    SharedFile.createOrAttach(path, SPEC, OPTIONS, _ -> {}).close();
    assertThat(Files.readAllBytes(path)).isEqualTo(before);
  }

  @Test
  void create_thatFails_leavesNothing() throws IOException {
    Path path = folder.resolve("ring");
    Throws.illegalState(
        "planted",
        () ->
            SharedFile.create(
                path,
                SPEC,
                OPTIONS,
                _ -> {
                  throw new IllegalStateException("planted");
                }));
    try (var names = Files.list(folder)) {
      assertThat(names).isEmpty();
    }
    Throws.a(
        NoSuchFileException.class,
        folder + "/none...",
        () -> SharedFile.createOrAttach(folder.resolve("none/ring"), SPEC, OPTIONS, _ -> {}));
    Throws.a(NoSuchFileException.class, path.toString(), () -> SharedFile.attach(path, _ -> SPEC));
  }

  @Test
  void create_removesWhatKilledCreatorsLeft_andNothingElse() throws IOException {
    Path leftover = Files.createFile(folder.resolve(".ring.1f.new"));
    Path of = Files.createFile(folder.resolve(".other.1f.new"));
    Path path = make();
    assertThat(leftover).doesNotExist();
    assertThat(of).exists();
    assertThat(path).exists();
  }

  @Test
  void create_onAFullDisk_failsAndLeavesNothing() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk.toString()), "root");
    try {
      RingSpec big = new RingSpec("test", SPEC.settings(), 2, 200, 1 << 20, "cells");
      Path path = disk.resolve("ring");
      Throws.a(
          IOException.class,
          path + ": cannot be made: bytes=1056768, ...",
          () -> SharedFile.create(path, big, OPTIONS, _ -> {}),
          () -> SharedFile.createOrAttach(path, big, OPTIONS, _ -> {}));
      try (var names = Files.list(disk)) {
        assertThat(names).isEmpty();
      }
    } finally {
      run("umount", disk.toString());
    }
  }

  @Test
  void create_whereTheFileSystemRefusesLocks_saysSo_andLeavesNothing() throws IOException {
    Path path = folder.resolve("ring");
    Throws.a(
        IOException.class,
        path + ": the file system refuses a lock: No locks available",
        () ->
            FileCreation.create(
                path,
                SPEC,
                OPTIONS,
                _ -> {},
                (_, _, _) -> {
                  throw new IOException("No locks available");
                }));
    try (var names = Files.list(folder)) {
      assertThat(names).isEmpty();
    }
  }

  @Test
  void open_onADiskThatIsMountedReadOnly_isForObserversAlone() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk.toString()), "root");
    try {
      Path path = disk.resolve("ring");
      SharedFile.create(path, SPEC, OPTIONS, _ -> {}).close();
      assumeTrue(run("mount", "-o", "remount,ro", disk.toString()), "remount");
      Throws.a(
          IOException.class,
          path + ": Read-only file system",
          () -> SharedFile.attach(path, _ -> SPEC),
          () -> SharedFile.createOrAttach(path, SPEC, OPTIONS, _ -> {}));
      Throws.a(
          IOException.class,
          disk + "/...: Read-only file system",
          () -> SharedFile.createOrAttach(disk.resolve("other"), SPEC, OPTIONS, _ -> {}));
      try (SharedFile observer = SharedFile.observe(path, it -> it)) {
        assertThat(observer.presences()).isEmpty();
        assertThat(observer.memory().isReadOnly()).isTrue();
      }
    } finally {
      run("umount", disk.toString());
    }
  }

  private static boolean run(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  // ---- refusals ----

  private record Other(String message, UnaryOperator<RingSpec> spec) {}

  @Test
  void attach_withAnotherRing_saysWhatDiffers() throws IOException {
    Path path = make();
    TreeMap<String, Long> two = new TreeMap<>(Map.of("cells", 64L, "limit", 1L));
    TreeMap<String, Long> other = new TreeMap<>(Map.of("cells", 128L));
    List<Other> others =
        List.of(
            new Other(
                "another kind of ring: kind=test, expected mpsc",
                it -> new RingSpec("mpsc", it.settings(), 2, 200, 1_000, "cells")),
            new Other(
                "other settings: cells=64, expected 128",
                _ -> new RingSpec("test", other, 2, 200, 1_000, "cells")),
            new Other(
                "other settings: limit=none, expected 1",
                _ -> new RingSpec("test", two, 2, 200, 1_000, "cells")),
            new Other(
                "other settings: [cells], expected []",
                _ -> new RingSpec("test", new TreeMap<>(), 2, 200, 1_000, "cells")),
            new Other(
                "another layout: reserved=2, expected 1",
                it -> new RingSpec("test", it.settings(), 1, 200, 1_000, "cells")),
            new Other(
                "another layout: wordsBytes=200, expected 128",
                it -> new RingSpec("test", it.settings(), 2, 128, 1_000, "cells")),
            new Other(
                "another layout: dataBytes=1000, expected 999",
                it -> new RingSpec("test", it.settings(), 2, 200, 999, "cells")),
            new Other(
                "another layout: cells, expected slots",
                it -> new RingSpec("test", it.settings(), 2, 200, 1_000, "slots")),
            new Other(
                "no such setting: slots, there are [cells]",
                it -> {
                  it.setting("slots");
                  return it;
                }));
    for (Other expected : others) {
      Throws.a(
          IOException.class,
          path + ": " + expected.message,
          () -> SharedFile.attach(path, expected.spec));
    }
  }

  /** Changes the bytes of a file, not by truncating it. */
  private static Path change(Path path, Consumer<ByteBuffer> change) throws IOException {
    byte[] bytes = Files.readAllBytes(path);
    change.accept(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()));
    Path changed = path.resolveSibling("changed");
    Files.write(changed, bytes);
    return changed;
  }

  @Test
  void open_whatIsNoWholeFile_saysWhy() throws IOException {
    Path path = make();
    refusedToAll("not a regular file", folder);
    refusedToAll("too short for a ring: bytes=0", Files.createFile(folder.resolve("empty")));
    refusedToAll(
        "still being made, or never completed: magic=0", change(path, b -> b.putLong(0, 0)));
    refusedToAll(
        "not a ring of this library: magic=\"MILLRACE\"",
        change(
            path,
            b -> b.put(4, (byte) 'R').put(5, (byte) 'A').put(6, (byte) 'C').put(7, (byte) 'E')));
    refusedToAll(
        "not a ring of this library: magic=\".[31mXYZ\"",
        change(path, b -> b.put(0, "\u001b[31mXYZ".getBytes(StandardCharsets.US_ASCII))));
    refusedToAll(
        "written in another byte order than this machine's " + ByteOrder.nativeOrder(),
        change(path, b -> b.putInt(8, 0x04030201)));
    refusedToAll("unknown version: version=2, known is 1", change(path, b -> b.putInt(12, 2)));
    refusedToAll("header is damaged: checksum=0x...", change(path, b -> b.putInt(48, 6)));
    Path cut = Files.copy(path, folder.resolve("cut"));
    try (RandomAccessFile bytes = new RandomAccessFile(cut.toFile(), "rw")) {
      bytes.setLength(8191);
      refusedToAll("cut short: bytes=8191, made with 8192", cut);
      bytes.setLength(12_288);
      refusedToAll("another layout: bytes=12288, expected 8192", cut);
      bytes.setLength(4095);
      refusedToAll("too short for a ring: bytes=4095", cut);
    }
  }

  @Test
  void open_withAnyByteOfTheHeaderChanged_isRefused() throws IOException {
    Path path = make();
    byte[] bytes = Files.readAllBytes(path);
    Path changed = folder.resolve("changed");
    for (int at = 0; at < 4_096; at += at < 128 ? 1 : 31) {
      bytes[at] ^= 4;
      Files.write(changed, bytes);
      bytes[at] ^= 4;
      Throws.a(IOException.class, changed + ": ...", () -> SharedFile.observe(changed, it -> it));
    }
  }

  /** Garbage with a checksum that fits. */
  @Test
  void open_whatHasAChecksumAndIsGarbage_saysWhy() throws IOException {
    Path path = make();
    Random random = new Random(1);
    for (int round = 0; round < 500; round++) {
      int at = 16 + 4 * random.nextInt((round % 2 == 0 ? 128 : 1_020) / 4);
      int value = random.nextBoolean() ? random.nextInt() : random.nextInt(300);
      Path changed =
          change(
              path,
              b -> {
                b.putInt(at, value);
                CRC32C crc = new CRC32C();
                crc.update(b.slice(8, 4_084));
                b.putInt(4_092, (int) crc.getValue());
              });
      try (SharedFile file = SharedFile.observe(changed, it -> it)) {
        // what is changed within the last page is not found without the ring's own numbers
        assertThat(file.memory().byteSize()).isLessThanOrEqualTo(8_192 - 4_096 - 128);
        assertThat(file.spec().toString()).hasSizeLessThan(6_000);
      } catch (IOException e) {
        assertThat(e).hasMessageStartingWith(changed + ": ").hasMessageNotContaining("null");
        assertThat(e.getMessage()).hasSizeLessThan(1_000);
      }
    }
  }

  @Test
  void open_withoutPermission_saysForWhom() throws Exception {
    Path path = make();
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("r--------"));
    assumeTrue(!Files.isWritable(path), "not root");
    Throws.a(
        AccessDeniedException.class,
        path + ": not readable and writable for user " + System.getProperty("user.name"),
        () -> SharedFile.attach(path, _ -> SPEC));
    SharedFile.observe(path, it -> it).close();
  }

  @Test
  void locks_thatTheFileSystemRefuses_areSaidSo_andNobodyIsBuried() throws IOException {
    Path path = make();
    int[] allowed = {0};
    OpenFile.LockCalls calls =
        (channel, at, isShared) -> {
          if (allowed[0]-- <= 0) {
            throw new IOException("No locks available");
          }
          return channel.tryLock(at, 1, isShared);
        };
    String message = path + ": the file system refuses a lock: No locks available";
    Throws.a(IOException.class, message, () -> SharedFile.attach(path, _ -> SPEC, calls));
    allowed[0] = 1;
    try (SharedFile file = SharedFile.attach(path, _ -> SPEC, calls)) {
      Participants participants = file.participants((_, _) -> true);
      Throws.a(
          UncheckedIOException.class,
          "..." + message,
          () -> participants.enter(Role.PRODUCER, "one"),
          () -> participants.enterSole(0, Role.PRODUCER, "one"));
      allowed[0] = 1;
      Participant one = participants.enter(Role.PRODUCER, "one");
      assertThat(one.declare(1, 2)).isTrue();
      assertThat(participants.fateOf(1, false)).isEqualTo(Fate.LIVE);
      assertThat(participants.buryDead()).isZero();
      assertThat(one.isFenced()).isFalse();
      one.leave();
      allowed[0] = 100;
    }
  }

  // ---- using ----

  @Test
  void observe_readsAndNeverWrites() throws IOException {
    Path path = make();
    byte[] before = Files.readAllBytes(path);
    try (SharedFile observer = SharedFile.observe(path, it -> it)) {
      MemorySegment memory = observer.memory();
      assertThat(memory.isReadOnly()).isTrue();
      assertThat(memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(7);
      assertThat(observer.presences()).isEmpty();
      Throws.illegalState(
          "an observer takes no part: " + path, () -> observer.participants((_, _) -> true));
      try (SharedFile file = SharedFile.attach(path, _ -> SPEC)) {
        Participant own = file.participants((_, _) -> true).enterSole(1, Role.CONSUMER, "reader 1");
        assertThat(observer.presences())
            .singleElement()
            .asString()
            .matches("consumer: pid=\\d+, name=\"reader 1\", started=20.*Z");
        own.leave();
      }
    }
    byte[] after = Files.readAllBytes(path);
    System.arraycopy(before, 4_096, after, 4_096, 5 * 128); // the table was used
    assertThat(after).isEqualTo(before);
  }

  @Test
  void file_whoseNameIsGivenToAnother_staysForThoseWhoHaveIt() throws IOException {
    Path path = make();
    SharedFile file = SharedFile.attach(path, _ -> SPEC);
    assertThat(file.isInPlace()).isTrue();
    Files.delete(path);
    assertThat(file.isInPlace()).isFalse();
    SharedFile other = SharedFile.createOrAttach(path, SPEC, OPTIONS, _ -> {});
    other.memory().set(ValueLayout.JAVA_LONG, 8, 8);
    assertThat(file.memory().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(7);
    assertThat(file.isInPlace()).isFalse();
    assertThat(other.isInPlace()).isTrue();
    Participant first = file.participants((_, _) -> true).enterSole(0, Role.PRODUCER, "one");
    Participant second = other.participants((_, _) -> true).enterSole(0, Role.PRODUCER, "one");
    first.leave();
    second.leave();
    Path next = Files.move(path, folder.resolve("next"), StandardCopyOption.ATOMIC_MOVE);
    assertThat(other.isInPlace()).isFalse();
    try (SharedFile same = SharedFile.attach(next, _ -> SPEC)) {
      assertThat(same.memory().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(8);
    }
    other.close();
    file.close();
  }

  @Test
  void close_beforeItsParticipantsHaveLeft_isRefused() throws IOException {
    SharedFile file = SharedFile.attach(make(), _ -> SPEC);
    Participant own = file.participants((_, _) -> true).enter(Role.PRODUCER, "own");
    Throws.illegalState(
        "participants must leave before their file is closed: 1 are left, ...", file::close);
    own.leave();
    own.leave();
    file.close();
    file.close();
    Throws.illegalState("Already closed", () -> file.memory().get(ValueLayout.JAVA_LONG, 0));
  }

  @Test
  void createOrAttach_afterTheLastHasRemovedTheFile_makesANewOne() throws IOException {
    Path path = folder.resolve("ring");
    for (int round = 0; round < 2; round++) {
      SharedFile file = SharedFile.createOrAttach(path, SPEC, OPTIONS, _ -> {});
      assertThat(file.isInPlace()).isTrue();
      assertThat(file.close(true)).isTrue();
      assertThat(path).doesNotExist();
    }
  }

  @Test
  void close_byTheLast_leavesAnotherFileOfTheName() throws IOException {
    Path path = folder.resolve("ring");
    SharedFile file = SharedFile.create(path, SPEC, OPTIONS, _ -> {});
    Files.delete(path);
    SharedFile.create(path, SPEC, OPTIONS, _ -> {}).close();
    assertThat(file.close(true)).isFalse();
    assertThat(path).exists();
  }

  @Test
  void attach_whileTheFileIsReplaced_findsTheNewOne() throws IOException {
    Path path = make();
    Path old = folder.resolve("old");
    OpenFile.LockCalls calls =
        (channel, at, isShared) -> {
          if (Files.notExists(old)) {
            Files.move(path, old);
            SharedFile.create(path, SPEC, OPTIONS, _ -> {}).close();
          }
          return channel.tryLock(at, 1, isShared);
        };
    try (SharedFile file = SharedFile.attach(path, _ -> SPEC, calls)) {
      assertThat(file.isInPlace()).isTrue();
      assertThat(file.memory().get(ValueLayout.JAVA_LONG, 8)).isZero();
    }
  }
}
