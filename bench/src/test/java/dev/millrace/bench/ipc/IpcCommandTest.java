package dev.millrace.bench.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.bench.harness.CommandCalls;
import dev.millrace.bench.ipc.Side.Does;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds a contender between processes that loses, repeats or tears a message, processes that do not
 * find each other's ends, and a figure that the tables leave out.
 */
@Isolated // both sides spin
class IpcCommandTest extends CommandCalls {
  IpcCommandTest() {
    super(IpcCommand::new);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--bytes 20 | --bytes must be a multiple of 8: bytes=20",
        "--bytes 8200 | --bytes must be in 8..8192: bytes=8200",
        "--batch 65 | --batch must be in 1..64: batch=65",
        "--millis 0 | --millis must be in 1..600000: millis=0",
        "--warm-up-millis -1 | --warm-up-millis must be in 0..600000: warm-up-millis=-1",
      })
  void call_withBadUsage_saysWhatIsWrong(String arguments, String message) {
    assertRefused(arguments, message);
  }

  /** Chronicle Queue needs options of its JVM, so it is in the test below. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CHRONICLE")
  void sides_ofAContender_takeEachMessageOnceAndWhole(IpcContender contender, @TempDir Path folder)
      throws Exception {
    Side side = new Side(contender, folder.toString(), 24, 5, 1, 20, Does.TAKE);
    Side.Found found =
        contender.isInProcess()
            ? side.with(Does.BOTH).run()
            : Side.ofBoth(side::run, side.with(Does.SEND)::run);
    for (List<String> names : List.of(Side.TIMES, Side.RATES)) {
      for (String name : names) {
        assertThat(found.figures().get(name)).as(name).isPositive();
      }
    }
  }

  @Test
  void call_ofTwo_showsWhatTheirProcessesFound(@TempDir Path folder) {
    Path directory = folder.resolve("new/data");
    int code =
        execute(
            "--contender=millrace,chronicle",
            "--bytes=16",
            "--rounds=1",
            "--warm-up-millis=0",
            "--millis=20",
            "--directory=" + directory,
            "--out=" + folder.resolve("ipc.json"));
    assertThat(code).as(out + "\n" + err).isZero();
    assertThat(directory).isEmptyDirectory();
    assertThat(out.toString())
        .contains("16 bytes:\n")
        .containsPattern("\\| round trip: p50, ns \\|( [0-9,]+ \\|){2}\n")
        .containsPattern("\\| one by one, thousands/s \\|( [0-9,]+ \\|){2}\n")
        .containsPattern("\\| batches, thousands/s \\| chronicle \\|( [0-9,.]+ \\|){3} - \\|");
  }

  @Test
  void take_ofAnotherMessage_fails() {
    Channel channel = new Numbers();
    channel.take(0, 1); // words 0 and 1
    assertThatThrownBy(() -> channel.take(0, 1))
        .hasMessage("message is not the next one: number=0, next=1");
    assertThatThrownBy(() -> channel.take(1, 2)).hasMessage("message is torn: number=1, sum=2");
  }

  private static final class Numbers extends Channel {
    Numbers() {
      super(2 * Long.BYTES);
    }

    @Override
    boolean send(long number) {
      return true;
    }

    @Override
    int receive(int limit) {
      return 0;
    }

    @Override
    public void close() {}
  }
}
