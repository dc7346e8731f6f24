package dev.millrace.queues.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.messages.Message;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds bytes of a channel that a log keeps wrongly or gives back in another order, also where a
 * segment ends, and a log that cannot be closed while its producer waits for a channel.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogChannelTest {
  private static final LogOptions OPTIONS = LogOptions.ofSegmentBytes(1 << 16);

  @TempDir private Path folder;

  private static byte[] bytes(int count, long seed) {
    byte[] bytes = new byte[count];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private FileChannel file(String name, byte[] bytes) throws IOException {
    Path file = Files.write(folder.resolve(name), bytes);
    return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private byte[] content(String name) throws IOException {
    return Files.readAllBytes(folder.resolve(name));
  }

  /** Fills several segments from a file, in transfers drawn at random. */
  private void append(byte[] content, LogProducer out, long seed) throws IOException {
    Random random = new Random(seed);
    try (FileChannel source = file("source", content)) {
      for (int count = 0; count >= 0; ) {
        int length = random.nextInt(1, 5_000);
        Message message = out.claim(1, length);
        int at = 0;
        for (int tries = random.nextInt(1, 4); tries > 0 && at < length && count >= 0; tries--) {
          count = message.readFrom(source, at, random.nextInt(1, length - at + 1));
          at += Math.max(count, 0);
        }
        out.commit(at);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void file_throughALog_isTheSameFile(long seed) throws Exception {
    byte[] content = bytes(500_000, seed);
    try (MessageLog log = MessageLog.open(folder.resolve("log"), OPTIONS);
        LogProducer out = log.newProducer();
        LogReader reader = log.newReader();
        FileChannel target = file("target", new byte[0])) {
      append(content, out, seed);
      for (Message message; (message = reader.tryPoll()) != null; reader.release()) {
        for (int at = 0; at < message.length(); ) {
          at += message.writeTo(target, at);
        }
      }
      assertThat(content("target")).isEqualTo(content);
    }
    assertThat(MessageLog.verify(folder.resolve("log")).damages()).isEmpty();
  }

  /** Lengths below, at and above what is copied, drawn at random, and runs of random lengths. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void runs_toAChannelThatTakesLittle_areTheFile(long seed) throws Exception {
    Random random = new Random(seed);
    int[] lengths = {0, 1, 100, 4_095, 4_096, 4_097, 20_000};
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    ByteArrayOutputStream foreign = new ByteArrayOutputStream();
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (MessageLog log = MessageLog.open(folder.resolve("log"), OPTIONS);
        LogProducer out = log.newProducer();
        LogReader reader = log.newReader();
        ServerSocketChannel server = ServerSocketChannel.open().bind(any);
        SocketChannel near = SocketChannel.open(server.getLocalAddress());
        SocketChannel far = server.accept()) {
      for (int i = 0; i < 300; i++) {
        byte[] content = bytes(lengths[random.nextInt(lengths.length)], i);
        out.claim(1, content.length).putBytes(0, content, 0, content.length);
        out.commit();
        expected.write(content);
      }
      near.setOption(StandardSocketOptions.SO_SNDBUF, 4_096).configureBlocking(false);
      TestCall<byte[]> receives = TestCall.of(() -> Channels.newInputStream(far).readAllBytes());
      while (reader.tryPoll(random.nextInt(1, 40)) > 0) {
        long length = reader.runLength();
        for (long from = 0; from < length; ) {
          from += reader.writeRunTo(near, from);
        }
        assertThat(reader.writeRunTo(near, length)).isZero();
        for (long from = 0; from < length; ) {
          from += reader.writeRunTo(Channels.newChannel(foreign), from);
        }
        reader.release();
      }
      near.shutdownOutput();
      assertThat(receives.result()).isEqualTo(expected.toByteArray());
      assertThat(foreign.toByteArray()).isEqualTo(expected.toByteArray());
    }
  }

  @Test
  void run_fromAnyByte_isWrittenFromThere() throws Exception {
    try (MessageLog log = MessageLog.open(folder.resolve("log"), OPTIONS);
        LogProducer out = log.newProducer();
        LogReader reader = log.newReader();
        FileChannel target = file("target", new byte[0])) {
      for (int i = 0; i < 4; i++) {
        out.claim(1, 3).putBytes(0, bytes(3, i), 0, 3);
        out.commit();
      }
      Throws.illegalState(
          "no open poll: LogReader[...", reader::runLength, () -> reader.writeRunTo(target, 0));
      assertThat(reader.tryPoll(3)).isEqualTo(3);
      assertThat(reader.runLength()).isEqualTo(9);
      for (int from : new int[] {5, 9, 0, 8, 3, 1}) {
        target.truncate(0);
        assertThat(reader.writeRunTo(target, from)).isEqualTo(9 - from);
        byte[] all = new byte[9];
        for (int i = 0; i < 9; i++) {
          all[i] = bytes(3, i / 3)[i % 3];
        }
        assertThat(content("target")).isEqualTo(Arrays.copyOfRange(all, from, 9));
      }
      Throws.outOfBounds(
          "no such byte in the open poll: from=...bytes=9",
          () -> reader.writeRunTo(target, -1),
          () -> reader.writeRunTo(target, 10),
          () -> reader.writeRunTo(target, Long.MAX_VALUE));
      Throws.nullArgument("channel", () -> reader.writeRunTo(null, 0));
      assertThat(reader.at(1).getByte(0)).isEqualTo(bytes(3, 1)[0]);
      reader.release();
      reader.seekToStart();
      assertThat(reader.tryPoll(1)).isEqualTo(1); // the same place, and a shorter run
      Throws.outOfBounds(
          "no such byte in the open poll: from=9, bytes=3", () -> reader.writeRunTo(target, 9));
    }
  }

  @Test
  void runs_allocateNothing() throws Exception {
    try (MessageLog log =
            MessageLog.open(folder.resolve("log"), LogOptions.ofSegmentBytes(1 << 24));
        LogProducer out = log.newProducer();
        LogReader reader = log.newReader();
        FileChannel target = file("target", new byte[0])) {
      int[] lengths = {16, 300, 5_000};
      TestCall.Body round =
          () -> {
            for (int i = 0; i < 200; i++) {
              for (int length : lengths) {
                out.claim(1, length).putInt(0, i);
                out.commit();
              }
              if (reader.tryPoll(3) != 3) {
                throw new AssertionError("round " + i);
              }
              target.position(0);
              for (long from = 0; from < reader.runLength(); ) {
                from += reader.writeRunTo(target, from);
              }
              reader.release();
            }
          };
      round.run();
      assertThat(Allocations.bytesIn(round)).as("of 600 messages").isLessThan(2_000);
    }
  }

  @Test
  void messageOfAReader_isReadOnly() throws Exception {
    try (MessageLog log = MessageLog.open(folder.resolve("log"), OPTIONS);
        LogProducer out = log.newProducer();
        LogReader reader = log.newReader();
        FileChannel source = file("source", bytes(10, 1))) {
      out.claim(1, 10);
      out.commit();
      Message message = reader.tryPoll();
      Throws.illegalArgument(
          "message of a log is read-only: Message[type=1, length=10]",
          () -> message.readFrom(source, 10));
      assertThat(source.position()).isZero();
    }
  }

  @Test
  void close_whileTheProducersReadIsBlocked_endsBoth() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    Path directory = folder.resolve("log");
    try (ServerSocketChannel server = ServerSocketChannel.open().bind(any);
        SocketChannel near = SocketChannel.open(server.getLocalAddress());
        SocketChannel far = server.accept()) {
      MessageLog log = MessageLog.open(directory, OPTIONS);
      LogProducer out = log.newProducer();
      far.write(ByteBuffer.wrap(bytes(5, 1)));
      out.commit(out.claim(1, 100).readFrom(near, 100));
      Message message = out.claim(1, 100);
      TestCall<Integer> reads = TestCall.of(() -> message.readFrom(near, 100));
      TestCall.await(
          () -> {
            StackTraceElement[] frames = reads.thread().getStackTrace();
            return frames.length > 0 && frames[0].getMethodName().equals("read0");
          });
      log.close();
      assertThat(reads.failure())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("message may no longer be used: ")
          .hasMessageContaining(directory.toString());
      assertThat(near.isOpen()).isFalse();
      out.close();
    }
    try (MessageLog log = MessageLog.open(directory, OPTIONS);
        LogReader reader = log.newReader();
        FileChannel target = file("target", new byte[0])) {
      assertThat(log.recovery().damages()).isEmpty();
      assertThat(reader.tryPoll().writeTo(target)).isEqualTo(5);
      assertThat(content("target")).isEqualTo(bytes(5, 1));
      reader.release();
      assertThat(reader.tryPoll()).isNull();
    }
  }
}
