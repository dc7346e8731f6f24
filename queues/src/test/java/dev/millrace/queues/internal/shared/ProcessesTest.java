package dev.millrace.queues.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Finds a process that is taken for ended while it runs, or for running once it has ended. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessesTest {
  private static final ProcessId SELF = Processes.self();

  private static long ticket(long pid, long startMark) {
    return new ProcessId(pid, 0, startMark, SELF.namespace(), SELF.bootHigh(), SELF.bootLow())
        .ticket();
  }

  private static String[] stat(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
  }

  @Test
  void self_runs_andAnEarlierProcessOfItsIdHasEnded() {
    assertThat(Processes.hasEnded(SELF.ticket())).isFalse();
    assertThat(Processes.hasEnded(ticket(SELF.pid(), SELF.startMark() - 1))).isTrue();
    ProcessId elsewhere =
        new ProcessId(SELF.pid(), 0, SELF.startMark(), SELF.namespace() + 1, 0, 0);
    assertThat(elsewhere.ticket()).isNotEqualTo(SELF.ticket());
    assertThat(Processes.hasEnded(elsewhere.ticket())).isTrue();
    assertThat(SELF.started()).isBetween(1L, System.currentTimeMillis());
  }

  /**
   * A process that has ended stays in the table of processes until its parent asks for it. A shell
   * may ask, so the child ends after the shell has become a program that does not.
   */
  @Test
  void process_thatIsAZombieOrGone_hasEnded() throws Exception {
    assumeTrue(Files.isReadable(Path.of("/proc/self/stat")), "proc(5)");
    Process parent = new ProcessBuilder("sh", "-c", "sleep 1 & echo $!; exec sleep 60").start();
    try {
      long child = Long.parseLong(parent.inputReader().readLine());
      while (!stat(child)[0].equals("Z") || !parent.info().command().orElse("").endsWith("sleep")) {
        Thread.sleep(10);
      }
      assertThat(Processes.hasEnded(ticket(child, Long.parseLong(stat(child)[19])))).isTrue();
      long ticket = ticket(parent.pid(), Long.parseLong(stat(parent.pid())[19]));
      assertThat(Processes.hasEnded(ticket)).isFalse();
      parent.destroyForcibly().waitFor();
      assertThat(Processes.hasEnded(ticket)).isTrue();
    } finally {
      parent.destroyForcibly();
    }
  }
}
