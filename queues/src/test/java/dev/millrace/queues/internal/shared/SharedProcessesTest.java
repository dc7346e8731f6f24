package dev.millrace.queues.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.core.internal.ring.Claimers.Fate;
import dev.millrace.testkit.Throws;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a participant that is killed and not found dead, one that lives and is buried, a lock whose
 * loss goes unnoticed, and what several processes make of a file at once: what only real processes
 * and the kernel's locks show.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedProcessesTest {
  private static Peer peer; // that no test kills

  @TempDir Path folder;

  private final List<String> burials = new ArrayList<>();
  private Path path;
  private SharedFile file;
  private Participants participants;

  @BeforeAll
  static void startPeer() throws IOException {
    assumeTrue(File.separatorChar == '/', "signals");
    peer = Peer.start();
  }

  @AfterAll
  static void endPeer() {
    if (peer != null) {
      peer.close();
    }
  }

  @BeforeEach
  void create() throws IOException {
    path = folder.resolve("ring");
    file = SharedFile.create(path, Peer.SPEC, FileOptions.defaults(), _ -> {});
    participants = file.participants(this::recover);
  }

  @AfterEach
  void close() throws IOException {
    peer.tell("close");
    try {
      file.close();
    } catch (IllegalStateException e) {
      // a test has failed, which says more
    }
  }

  private boolean recover(int entry, Role role) {
    burials.add(
        "%d %s %d..%d"
            .formatted(entry, role, participants.intent(entry), participants.intentEnd(entry)));
    return true;
  }

  @Test
  void participant_killed_isDeadAtOnceAndBuriedOnce_butNotWhileItIsStopped() throws Exception {
    try (Peer mortal = Peer.start()) {
      assertThat(mortal.tell("attach", path)).isEqualTo("ok");
      assertThat(mortal.tell("sole", 1)).isEqualTo("1");
      assertThat(mortal.tell("declare", 5, 9)).isEqualTo("true");
      assertThat(participants.fateOf(8, false)).isEqualTo(Fate.LIVE);
      mortal.signal("STOP");
      assertThat(participants.fateOf(8, false)).isEqualTo(Fate.LIVE);
      assertThat(participants.buryDead()).isZero();
      Throws.illegalState(
          "there is a producer already: pid=%d, name=\"peer\", started=..., %s"
              .formatted(mortal.pid(), path),
          () -> participants.enterSole(1, Role.PRODUCER, "successor"));
      mortal.signal("CONT");
      assertThat(mortal.tell("check")).isEqualTo("ok");
      mortal.kill();
    }
    assertThat(participants.fateOf(8, false)).isEqualTo(Fate.DEAD);
    assertThat(participants.fateOf(9, false)).isEqualTo(Fate.UNKNOWN);
    assertThat(file.presences()).singleElement().asString().startsWith("producer, dead");
    Participant successor = participants.enterSole(1, Role.PRODUCER, "successor");
    assertThat(burials).containsExactly("1 producer 5..9");
    assertThat(participants.fateOf(8, false)).isEqualTo(Fate.UNKNOWN);
    assertThat(successor.isFenced()).isFalse();
    successor.leave();
    assertThat(participants.buryDead()).isZero();
  }

  @Test
  void burial_whoseProcessIsKilledInIt_isFinishedByAnother() throws Exception {
    try (Peer mortal = Peer.start();
        Peer burier = Peer.start()) {
      mortal.tell("attach", path);
      assertThat(mortal.tell("enter")).isEqualTo("2");
      burier.tell("attach", path);
      burier.tell("haltInBurial");
      mortal.kill();
      burier.begin("bury");
      burier.awaitEnd();
    }
    assertThat(burials).isEmpty();
    Participant next = participants.enter(Role.CONSUMER, "next");
    assertThat(next.entry()).as("what is free comes first").isEqualTo(3);
    assertThat(participants.buryDead()).isEqualTo(1);
    assertThat(burials).containsExactly("2 producer -1..0");
    assertThat(participants.buryDead()).isZero();
    next.leave();
  }

  @Test
  void lock_thatAnotherProcessLosesByACopy_fencesIt_andItsEntryWaitsForIt() throws Exception {
    peer.tell("attach", path);
    assertThat(peer.tell("sole", 0)).isEqualTo("0");
    assertThat(peer.tell("declare", 3, 4)).isEqualTo("true");
    peer.tell("copy", folder.resolve("copy"));
    assertThat(peer.tell("check")).as("no process has checked").isEqualTo("ok");
    assertThat(participants.fateOf(3, false)).isEqualTo(Fate.FENCED);
    assertThat(participants.buryDead()).isZero();
    Throws.illegalState(
        "there is a producer already: pid=%d, ..., dead, but its process runs..., %s"
            .formatted(peer.pid(), path),
        () -> participants.enterSole(0, Role.PRODUCER, "successor"));
    assertThat(peer.tell("declare", 4, 5)).isEqualTo("false");
    assertThat(peer.tell("check")).startsWith("FencedException: taken for dead by another process");
    assertThat(peer.tell("leave")).as("burials by itself").isEqualTo("1");
    assertThat(burials).isEmpty();
    participants.enterSole(0, Role.PRODUCER, "successor").leave();
  }

  @Test
  void lock_thatThisProcessLosesByACopy_isNoticedOnceAnotherProcessLooks() throws Exception {
    peer.tell("attach", path);
    Participant own = participants.enter(Role.PRODUCER, "own");
    assertThat(own.declare(3, 4)).isTrue();
    assertThat(peer.tell("fate", 3)).isEqualTo("LIVE");
    Files.copy(path, folder.resolve("copy"));
    assertThat(participants.fateOf(3, false)).as("of this JVM").isEqualTo(Fate.LIVE);
    assertThat(peer.tell("fate", 3)).isEqualTo("FENCED");
    assertThat(peer.tell("bury")).isEqualTo("0");
    Throws.a(FencedException.class, "taken for dead by another process...", own::check);
    own.leave();
    assertThat(burials).containsExactly("2 producer 3..4");
    assertThat(peer.tell("fate", 3)).isEqualTo("UNKNOWN");
    Throws.illegalState("participant has left...", own::check);
  }

  @Test
  void locks_ofThisProcess_survivesOtherChannelsOfThisLibrary() throws Exception {
    peer.tell("attach", path);
    Participant own = participants.enter(Role.PRODUCER, "own");
    assertThat(own.declare(3, 4)).isTrue();
    SharedFile.attach(path, _ -> Peer.SPEC).close();
    SharedFile.observe(path, it -> it).close();
    Throws.a(IOException.class, () -> SharedFile.attach(path, _ -> otherSpec()));
    Throws.a(
        IOException.class,
        () -> SharedFile.create(path, Peer.SPEC, FileOptions.defaults(), _ -> {}));
    assertThat(peer.tell("fate", 3)).isEqualTo("LIVE");
    Thread.currentThread().interrupt(); // an interrupt closes the channel that the thread uses
    SharedFile again = SharedFile.attach(path, _ -> Peer.SPEC);
    Participants others = again.participants(this::recover);
    Participant other = others.enter(Role.CONSUMER, "other");
    others.buryDead();
    other.leave();
    again.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(peer.tell("fate", 3)).isEqualTo("LIVE");
    own.leave();
  }

  private static RingSpec otherSpec() {
    return new RingSpec("other", Peer.SPEC.settings(), 2, 200, 1_000, "cells");
  }

  @Test
  void locks_ofAnotherClassLoader_areRespectedAndKept() throws Exception {
    peer.tell("attach", path);
    Participant own = participants.enter(Role.PRODUCER, "own");
    assertThat(own.declare(3, 4)).isTrue();
    try (URLClassLoader loader = otherLoader()) {
      assertThat(tellOtherLoader(loader, "attach", path.toString())).isEqualTo("ok");
      assertThat(tellOtherLoader(loader, "fate", "3")).hasToString("LIVE");
      assertThat(tellOtherLoader(loader, "enter")).as("the first that is free").isEqualTo(3);
      assertThat(tellOtherLoader(loader, "declare", "7", "8")).isEqualTo(true);
      assertThat(participants.fateOf(7, false)).isEqualTo(Fate.LIVE);
      assertThat(participants.buryDead()).isZero();
      tellOtherLoader(loader, "leave");
      assertThat(tellOtherLoader(loader, "close")).isEqualTo("ok");
    }
    assertThat(peer.tell("fate", 3)).isEqualTo("LIVE");
    assertThat(burials).isEmpty();
    own.leave();
  }

  private static URLClassLoader otherLoader() throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  private static Object tellOtherLoader(URLClassLoader loader, String... words) throws Exception {
    var run =
        loader.loadClass(Peer.Program.class.getName()).getDeclaredMethod("run", String[].class);
    run.setAccessible(true);
    return run.invoke(null, (Object) words);
  }

  @Test
  void creators_whoMeet_useOneFile() throws Exception {
    int made = 0;
    for (int round = 0; round < 30; round++) {
      Path met = folder.resolve("met" + round);
      peer.begin("createOrAttach", met);
      SharedFile own =
          SharedFile.createOrAttach(
              met,
              Peer.SPEC,
              FileOptions.defaults(),
              memory -> memory.set(ValueLayout.JAVA_LONG, 0, 1));
      assertThat(peer.end()).isEqualTo("ok");
      long first = own.memory().get(ValueLayout.JAVA_LONG, 0);
      made += first == 1 ? 1 : 0;
      assertThat(first).isBetween(1L, 2L);
      assertThat(peer.tell("first")).isEqualTo("" + first);
      own.memory().set(ValueLayout.JAVA_LONG, 0, 10 + round);
      assertThat(peer.tell("first")).as("one memory").isEqualTo("" + (10 + round));
      assertThat(peer.tell("close")).isEqualTo("ok");
      own.close();
      Files.delete(met);
    }
    assertThat(made).as("how often this process made it").isBetween(0, 30);
    try (var names = Files.list(folder)) {
      assertThat(names).containsExactly(path);
    }
    peer.tell("attach", path);
  }

  @Test
  void lastToLeave_removesTheFile_ifAskedTo() throws Exception {
    Path passing = folder.resolve("passing");
    SharedFile own = SharedFile.create(passing, Peer.SPEC, FileOptions.defaults(), _ -> {});
    SharedFile again = SharedFile.attach(passing, _ -> Peer.SPEC);
    peer.tell("attach", passing);
    assertThat(own.close(true)).isFalse();
    assertThat(again.close(true)).isFalse();
    assertThat(passing).exists();
    SharedFile observer = SharedFile.observe(passing, it -> it);
    assertThat(peer.tell("closeAndRemove")).isEqualTo("true");
    assertThat(passing).doesNotExist();
    assertThat(observer.isInPlace()).isFalse();
    assertThat(observer.spec()).isEqualTo(Peer.SPEC);
    observer.close();
    peer.tell("attach", path);
  }

  @Test
  void processes_thatLeaveAtOnce_haveTheFileRemovedByOneOfThem() throws Exception {
    for (int round = 0; round < 200; round++) {
      Path passing = folder.resolve("passing" + round);
      SharedFile own = SharedFile.create(passing, Peer.SPEC, FileOptions.defaults(), _ -> {});
      peer.tell("attach", passing);
      peer.tell("enter");
      peer.tell("leave");
      peer.begin("closeAndRemove");
      boolean isRemoved = own.close(true);
      assertThat(peer.end()).as("round %d", round).isEqualTo("" + !isRemoved);
      assertThat(passing).doesNotExist();
    }
    peer.tell("attach", path);
  }

  @Test
  void process_thatComesWhileTheLastOneLeaves_hasAFileThatOthersFind() throws Exception {
    int removed = 0;
    for (int round = 0; round < 200; round++) {
      Path passing = folder.resolve("passing");
      SharedFile own = SharedFile.create(passing, Peer.SPEC, FileOptions.defaults(), _ -> {});
      peer.begin("createOrAttach", passing);
      boolean isRemoved = own.close(true);
      removed += isRemoved ? 1 : 0;
      assertThat(peer.end()).isEqualTo("ok");
      assertThat(peer.tell("inPlace")).isEqualTo("true");
      assertThat(peer.tell("first")).as("2 in a new file").isEqualTo(isRemoved ? "2" : "0");
      assertThat(peer.tell("closeAndRemove")).isEqualTo("true");
    }
    assertThat(removed).isBetween(0, 200);
    peer.tell("attach", path);
  }

  @Test
  void lastToLeave_whileAProcessThatLostItsLocksIsThere_leavesTheFile() throws Exception {
    Path passing = folder.resolve("passing");
    SharedFile own = SharedFile.create(passing, Peer.SPEC, FileOptions.defaults(), _ -> {});
    peer.tell("attach", passing);
    peer.tell("enter");
    peer.tell("copy", folder.resolve("copy"));
    assertThat(own.close(true)).isFalse();
    assertThat(passing).exists();
    assertThat(peer.tell("leave")).isEqualTo("0");
    assertThat(peer.tell("closeAndRemove")).isEqualTo("true");
    assertThat(passing).doesNotExist();
    peer.tell("attach", path);
  }

  @Test
  void participant_inAnotherPidNamespace_isFoundAliveAndDead() throws Exception {
    String[] launcher = {"unshare", "--pid", "--fork", "--kill-child"};
    assumeTrue(runs(launcher), "unshare");
    try (Peer other = Peer.start(launcher)) {
      assertThat(other.tell("attach", path)).isEqualTo("ok");
      assertThat(other.tell("sole", 0)).isEqualTo("0");
      assertThat(other.tell("declare", 3, 4)).isEqualTo("true");
      assertThat(participants.fateOf(3, false)).isEqualTo(Fate.LIVE);
      Participant own = participants.enter(Role.CONSUMER, "own");
      assertThat(own.declare(8, 9)).isTrue();
      assertThat(other.tell("fate", 8)).isEqualTo("LIVE");
      assertThat(other.tell("bury")).isEqualTo("0");
      own.leave();
      other.kill();
    }
    while (participants.fateOf(3, false) == Fate.LIVE) {
      Thread.onSpinWait(); // the kernel ends the process in it a little later than unshare
    }
    participants.enterSole(0, Role.PRODUCER, "successor").leave();
    assertThat(burials).containsExactly("0 producer 3..4");
  }

  private static boolean runs(String... launcher) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of(launcher));
    command.add("true");
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
