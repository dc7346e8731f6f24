package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a file with a wrong byte or size that is opened all the same. Each is refused by a sentence
 * that says what is wrong.
 */
class TelemetryFileTest {
  private static final int CHECKSUM = 52;

  @TempDir private Path folder;
  private Path file;
  private byte[] bytes;

  @BeforeEach
  void create() throws IOException {
    file = folder.resolve("service.telemetry");
    try (Telemetry telemetry = Telemetry.create(file, Options.defaults().withCapacity(4))) {
      telemetry.counter("orders").add(3);
    }
    bytes = Files.readAllBytes(file);
  }

  private ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
  }

  private void seal() {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 8, CHECKSUM - 8);
    buffer().putInt(CHECKSUM, (int) checksum.getValue());
  }

  private void isRefused(String message) throws IOException {
    Files.write(file, bytes);
    Throws.a(IOException.class, file + ": " + message + "...", () -> TelemetryReader.open(file));
  }

  @Test
  void open_aFileAsItWasMade_succeeds() throws IOException {
    try (TelemetryReader reader = TelemetryReader.open(file)) {
      assertThat(reader.counters()).containsExactly(entry("orders", 3L));
    }
    assertThat(bytes).startsWith('M', 'I', 'L', 'L', 'R', 'A', 'C', 'E').hasSize(5_632);
  }

  /** A pipe without a writer would be waited for. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void open_ofWhatIsNoFile_isRefusedAtOnce() throws Exception {
    Path pipe = file.resolveSibling("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    for (Path other : List.of(pipe, file.getParent())) {
      Throws.a(
          IOException.class, other + ": not a regular file", () -> TelemetryReader.open(other));
    }
    try (FileSystem zip =
        FileSystems.newFileSystem(file.resolveSibling("z.zip"), Map.of("create", "true"))) {
      Throws.illegalArgument(
          "telemetry needs a file of the default file system: jar:...",
          () -> TelemetryReader.open(zip.getPath("/telemetry")));
    }
  }

  @Test
  void open_noFile_saysSo() {
    Throws.a(NoSuchFileException.class, () -> TelemetryReader.open(folder.resolve("none")));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 112, 4_095, 4_096, 5_631, 5_633})
  void open_whenOfAnotherSize_isRefused(int size) throws IOException {
    bytes = Arrays.copyOf(bytes, size);
    isRefused("size must be " + (size < 4_096 ? "at least 4096" : "5632") + ": size=" + size);
  }

  @Test
  void open_whenHalfMadeOrOfAnotherKind_isRefused() throws IOException {
    buffer().putLong(0, 0);
    isRefused("magic must be \"MILLRACE\": magic=0, for the file was never completed");
    buffer().put(0, new byte[] {'P', 'K', 3, 4, 'x', 'y', 'z', '.'});
    isRefused("magic must be \"MILLRACE\": magic=\"PK..xyz.\"");
  }

  @Test
  void open_whenOfTheOtherByteOrderOrVersion_isRefused() throws IOException {
    buffer().putInt(12, 2);
    isRefused("version must be 1: version=2");
    buffer().putInt(8, Integer.reverseBytes(0x01020304));
    isRefused("byteOrder must be this machine's " + ByteOrder.nativeOrder() + ": byteOrder=");
    buffer().putInt(8, 0x01030204);
    isRefused("byteOrder must be 0x1020304: byteOrder=0x1030204");
  }

  @Test
  void open_whenAnyByteOfTheHeaderHasChanged_isRefused() throws IOException {
    for (int i = 0; i < CHECKSUM + 4; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 0x10;
      Files.write(file, damaged);
      assertThatThrownBy(() -> TelemetryReader.open(file))
          .as("byte " + i)
          .isInstanceOf(IOException.class)
          .hasMessageMatching(".*: (magic|byteOrder|version|checksum) must be .*");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "40, 0, capacity must be in 1..1048576: capacity=0",
    "40, 2147483647, capacity must be in 1..1048576: capacity=2147483647",
    "40, 100, size must be 42496: size=5632",
    "44, -1, traceRecords must be in 0..16777216: traceRecords=-1",
    "44, 1, recordBytes must be in 17..65536: recordBytes=0",
    "48, 1, recordBytes must be in 0..0: recordBytes=1",
  })
  void open_whenASizeIsWrong_namesIt(int offset, int value, String message) throws IOException {
    buffer().putInt(offset, value);
    seal();
    isRefused(message);
  }

  @Test
  void open_whenTheProcessIdIsNone_isRefused() throws IOException {
    buffer().putLong(32, 0);
    seal();
    isRefused("processId must be in 1..9223372036854775807: processId=0");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 7, 0x103, 0x501, 0xF1_0000_0101L})
  void open_whenASlotIsDamaged_isRefused(long info) throws IOException {
    buffer().putLong(4_096 + 8, info);
    isRefused("info of slot 0 must be of a counter: info=0x" + Long.toHexString(info));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void preallocate_whenTheDiskIsFull_saysSo() throws IOException {
    Path full = Path.of("/dev/full");
    try (FileChannel channel = FileChannel.open(full, StandardOpenOption.WRITE)) {
      assertThatThrownBy(() -> TelemetryFile.preallocate(full, channel, 1 << 20))
          .isInstanceOf(IOException.class)
          .hasMessage(full + ": space must be there for the whole file: sizeBytes=1048576")
          .cause()
          .isInstanceOf(IOException.class);
    }
  }
}
