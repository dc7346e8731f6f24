package dev.millrace.queues.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.ChannelBuffer;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds bytes of a channel that end up outside of their message or in another order, a short
 * transfer that is taken for a whole one, and a queue that cannot be closed while a thread waits
 * for a channel.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MessageChannelTest {
  private static final int TYPE = 7;
  private static final String CLOSED = "message may no longer be used: ...MessageQueue[...";

  @TempDir private Path folder;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final MessageQueue queue = MessageQueue.spsc(QueueOptions.ofCapacity(1 << 12));
  private final MessageProducer producer = queue.newProducer();
  private final MessageConsumer consumer = queue.newConsumer();

  /** The two ends of a connection. */
  private record Connection(SocketChannel near, SocketChannel far) {}

  @AfterEach
  void closeAll() throws Exception {
    queue.close();
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
  }

  private <T extends Closeable> T closing(T opens) {
    opened.add(opens);
    return opens;
  }

  private Connection connect() throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ServerSocketChannel server = ServerSocketChannel.open().bind(any)) {
      SocketChannel near = closing(SocketChannel.open(server.getLocalAddress()));
      return new Connection(near, closing(server.accept()));
    }
  }

  private FileChannel file(String name, byte[] bytes) throws IOException {
    Path file = Files.write(folder.resolve(name), bytes);
    return closing(FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  private static byte[] bytes(int count, long seed) {
    byte[] bytes = new byte[count];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static byte[] bytesOf(Message message) {
    byte[] bytes = new byte[message.length()];
    message.getBytes(0, bytes, 0, bytes.length);
    return bytes;
  }

  /** Waits until a thread is blocked in a system call, of which its state says nothing. */
  private static <T> TestCall<T> awaitSystemCall(TestCall<T> call) throws Exception {
    TestCall.await(() -> call.isOver() || isInSystemCall(call.thread()));
    assertThat(call.isOver()).isFalse();
    return call;
  }

  private static boolean isInSystemCall(Thread thread) {
    StackTraceElement[] frames = thread.getStackTrace();
    return frames.length > 0 && Set.of("read0", "write0").contains(frames[0].getMethodName());
  }

  // ---- transfers ----

  /** Both sides read and write as much as a generator says, and neither channel ever blocks. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void stream_inTransfersDrawnAtRandom_arrivesWhole(long seed) throws Exception {
    byte[] sent = bytes(300_000, seed);
    Connection source = connect();
    Connection target = connect();
    source.far.configureBlocking(false);
    target.near.setOption(StandardSocketOptions.SO_SNDBUF, 4_096).configureBlocking(false);
    TestCall<Boolean> sends = TestCall.run(() -> sendInPieces(source.near, sent, seed));
    TestCall<byte[]> receives =
        TestCall.of(() -> Channels.newInputStream(target.far).readAllBytes());
    TestCall<Boolean> forwards = TestCall.run(() -> forward(target.near, seed));

    Random random = new Random(-seed);
    for (int count = 0; count >= 0; ) {
      int length = random.nextInt(1, 1_000);
      Message message = producer.claim(TYPE, length);
      int at = 0;
      for (int tries = random.nextInt(1, 4); tries > 0 && at < length && count >= 0; tries--) {
        count = message.readFrom(source.far, at, random.nextInt(1, length - at + 1));
        at += Math.max(count, 0);
      }
      producer.commit(at);
    }
    queue.complete();

    assertThat(sends.result() && forwards.result()).isTrue();
    assertThat(receives.result()).isEqualTo(sent);
  }

  private static void sendInPieces(SocketChannel channel, byte[] sent, long seed)
      throws IOException {
    Random random = new Random(seed);
    for (int at = 0; at < sent.length; ) {
      int most = random.nextInt(1, 3_000);
      at += channel.write(ByteBuffer.wrap(sent, at, Math.min(most, sent.length - at)));
    }
    channel.shutdownOutput();
  }

  private void forward(SocketChannel channel, long seed) throws Exception {
    Random random = new Random(seed + 100);
    consumer.forEach(
        message -> {
          try {
            for (int at = 0; at < message.length(); ) {
              at += message.writeTo(channel, at);
              if (random.nextInt(50) == 0) {
                Thread.sleep(1);
              }
            }
          } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    channel.shutdownOutput();
  }

  @Test
  void file_throughTheQueue_isTheSameFile() throws Exception {
    byte[] content = bytes(100_000, 1);
    FileChannel source = file("source", content);
    FileChannel target = file("target", new byte[0]);
    for (int count = 0; count >= 0; ) {
      count = producer.tryClaim(TYPE, 1_000).readFrom(source, 1_000);
      producer.commit(Math.max(count, 0));
      Message message = consumer.tryPoll();
      assertThat(message.writeTo(target)).isEqualTo(message.length());
      consumer.release();
    }
    assertThat(Files.readAllBytes(folder.resolve("target"))).isEqualTo(content);
  }

  @Test
  void readFrom_amongOtherMessages_changesNoOther() throws Exception {
    byte[] content = bytes(100, 2);
    assertThat(producer.tryClaim(TYPE, 32, 3)).isEqualTo(3);
    for (int i = 0; i < 3; i++) {
      producer.at(i).putBytes(0, new byte[32], 0, 32);
    }
    assertThat(producer.at(1).readFrom(file("source", content), 5, 20)).isEqualTo(20);
    producer.commit();

    byte[] expected = new byte[32];
    System.arraycopy(content, 0, expected, 5, 20);
    assertThat(consumer.tryPoll(3)).isEqualTo(3);
    assertThat(bytesOf(consumer.at(0))).containsOnly(0);
    assertThat(bytesOf(consumer.at(1))).isEqualTo(expected);
    assertThat(bytesOf(consumer.at(2))).containsOnly(0);
  }

  @Test
  void writeTo_fromAnOffset_writesTheRestAlone() throws Exception {
    byte[] content = bytes(40, 3);
    producer.tryClaim(TYPE, 40).putBytes(0, content, 0, 40);
    producer.commit();
    producer.tryClaim(TYPE, 40);
    producer.commit();
    FileChannel target = file("target", new byte[0]);
    Message message = consumer.tryPoll();
    assertThat(message.writeTo(target, 33)).isEqualTo(7);
    assertThat(message.writeTo(target, 40)).isZero();
    assertThat(Files.readAllBytes(folder.resolve("target")))
        .isEqualTo(Arrays.copyOfRange(content, 33, 40));
  }

  @Test
  void messagesWithATime_keepIt() throws Exception {
    try (MessageQueue timed = MessageQueue.mpsc(QueueOptions.ofCapacity(1 << 12))) {
      MessageProducer out = timed.newProducer(() -> 99);
      byte[] content = bytes(10, 4);
      assertThat(out.tryClaim(TYPE, 10).readFrom(file("source", content), 10)).isEqualTo(10);
      out.commit();
      Message message = timed.newConsumer().tryPoll();
      assertThat(message.time()).isEqualTo(99);
      assertThat(bytesOf(message)).isEqualTo(content);
      assertThat(message.writeTo(file("target", new byte[0]))).isEqualTo(10);
      assertThat(Files.readAllBytes(folder.resolve("target"))).isEqualTo(content);
    }
  }

  @Test
  void nonBlockingChannel_withoutBytesOrRoom_gives0() throws Exception {
    Connection connection = connect();
    connection.near.configureBlocking(false);
    Message message = producer.tryClaim(TYPE, 1_000);
    assertThat(message.readFrom(connection.near, 1_000)).isZero();
    producer.commit();
    Message polled = consumer.tryPoll();
    while (polled.writeTo(connection.near) > 0) {
      // the other side reads nothing
    }
    assertThat(polled.writeTo(connection.near, 999)).isZero();
    connection.far.close();
  }

  @Test
  void endOfAChannel_isMinus1_andLeavesTheClaimOpen() throws Exception {
    Connection connection = connect();
    connection.near.write(ByteBuffer.wrap(bytes(3, 5)));
    connection.near.shutdownOutput();
    Message message = producer.tryClaim(TYPE, 1_000);
    assertThat(message.readFrom(connection.far, 1_000)).isEqualTo(3);
    assertThat(message.readFrom(connection.far, 3, 997)).isEqualTo(-1);
    producer.commit(3);
    assertThat(bytesOf(consumer.tryPoll())).isEqualTo(bytes(3, 5));
  }

  @Test
  void datagrams_areMessages() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    DatagramChannel near = closing(DatagramChannel.open()).bind(any);
    DatagramChannel far = closing(DatagramChannel.open()).bind(any);
    near.connect(far.getLocalAddress());
    far.connect(near.getLocalAddress());
    for (int length : new int[] {1, 100, 1_000}) {
      producer.tryClaim(TYPE, length).putBytes(0, bytes(length, length), 0, length);
      producer.commit();
      assertThat(consumer.tryPoll().writeTo(near)).isEqualTo(length);
      consumer.release();
      assertThat(producer.tryClaim(TYPE, 1_500).readFrom(far, 1_500)).isEqualTo(length);
      producer.commit(length);
      assertThat(bytesOf(consumer.tryPoll())).isEqualTo(bytes(length, length));
      consumer.release();
    }
  }

  @Test
  void transfers_allocateNothing() throws Exception {
    Connection connection = connect();
    FileChannel target = file("target", new byte[0]);
    TestCall.Body exchange =
        () -> {
          for (int i = 0; i < 5_000; i++) {
            producer.tryClaim(TYPE, 100).putInt(0, i);
            producer.commit();
            assertInt(100, consumer.tryPoll().writeTo(connection.near));
            consumer.release();
            Message message = producer.tryClaim(TYPE, 200);
            for (int at = 0; at < 100; ) {
              at += message.readFrom(connection.far, at, 200 - at);
            }
            producer.commit(100);
            message = consumer.tryPoll();
            assertInt(i, message.getInt(0));
            assertInt(100, message.writeTo(target));
            consumer.release();
          }
        };
    exchange.run();
    assertThat(Allocations.bytesIn(exchange)).as("of 15,000 transfers").isLessThan(5_000);
  }

  private static void assertInt(int expected, int found) {
    if (found != expected) {
      throw new AssertionError(found + ", expected " + expected);
    }
  }

  // ---- misuse ----

  @Test
  void misuse_throwsAndTransfersNothing() throws Exception {
    FileChannel file = file("file", bytes(1_000, 6));
    Message message = producer.tryClaim(TYPE, 10);
    ReadableByteChannel stream = Channels.newChannel(new ByteArrayInputStream(new byte[9]));
    for (ReadableByteChannel source : List.of(file, stream)) {
      Throws.illegalArgument(
          "most must be in 1..2147483647: most=0",
          () -> message.readFrom(source, 0),
          () -> message.readFrom(source, 10, 0));
      Throws.outOfBounds(
          "access must be within the message: ...length=10",
          () -> message.readFrom(source, 11),
          () -> message.readFrom(source, -1, 1),
          () -> message.readFrom(source, 5, 6),
          () -> message.readFrom(source, 5, Integer.MAX_VALUE));
    }
    Throws.outOfBounds(
        "access must be within the message: ...length=10",
        () -> message.writeTo(file, -1),
        () -> message.writeTo(file, 11),
        () -> message.writeTo(Channels.newChannel(new ByteArrayOutputStream()), 11));
    Throws.nullArgument("channel", () -> message.readFrom(null, 1), () -> message.writeTo(null));
    producer.abort();
    Throws.outOfBounds(
        "no message in hand: ...", () -> message.readFrom(file, 1), () -> message.writeTo(file));
    assertThat(file.position()).isZero();
  }

  @Test
  void exceptionsOfAChannel_arePassedOn_andLeaveTheClaimOpen() throws Exception {
    Message message = producer.tryClaim(TYPE, 10);
    SocketChannel channel = closing(SocketChannel.open());
    Throws.a(NotYetConnectedException.class, () -> message.readFrom(channel, 10));
    channel.close();
    Throws.a(
        ClosedChannelException.class,
        () -> message.readFrom(channel, 10),
        () -> message.writeTo(channel));
    producer.commit();
    assertThat(consumer.tryPoll().length()).isEqualTo(10);
  }

  // ---- channels that are not the JDK's ----

  /** Keeps what it is given, and would write to it later. */
  private static final class Keeping implements ReadableByteChannel, WritableByteChannel {
    private final List<ByteBuffer> kept = new ArrayList<>();
    private Runnable inside = () -> {};

    @Override
    public int read(ByteBuffer target) {
      kept.add(target);
      inside.run();
      int count = target.remaining();
      target.put(bytes(count, count));
      return count;
    }

    @Override
    public int write(ByteBuffer source) {
      kept.add(source);
      int count = source.remaining();
      source.position(source.limit());
      return count;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void foreignChannel_thatKeepsItsBuffer_reachesNoMessage() throws Exception {
    Keeping keeping = new Keeping();
    assertThat(producer.tryClaim(TYPE, 100).readFrom(keeping, 7, 50)).isEqualTo(50);
    producer.commit();
    Message message = consumer.tryPoll();
    byte[] before = bytesOf(message);
    assertThat(Arrays.copyOfRange(before, 7, 57)).isEqualTo(bytes(50, 50));
    assertThat(message.writeTo(keeping, 60)).isEqualTo(40);

    assertThat(keeping.kept.get(1).clear())
        .isEqualTo(ByteBuffer.wrap(Arrays.copyOfRange(before, 60, 100)));
    for (ByteBuffer kept : keeping.kept) {
      kept.clear().put(new byte[kept.capacity()]);
    }
    assertThat(bytesOf(message)).isEqualTo(before);
  }

  /** Looks like a channel of the JDK. */
  private static final class ForeignPipe extends Pipe.SourceChannel {
    private final Keeping keeping;

    ForeignPipe(Keeping keeping) {
      super(SelectorProvider.provider());
      this.keeping = keeping;
    }

    @Override
    public int read(ByteBuffer target) {
      return keeping.read(target);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] targets) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected void implCloseSelectableChannel() {}

    @Override
    protected void implConfigureBlocking(boolean block) {}
  }

  @Test
  void foreignChannel_thatExtendsOneOfTheJdk_getsACopy() throws Exception {
    Keeping keeping = new Keeping();
    try (ForeignPipe pipe = new ForeignPipe(keeping)) {
      assertThat(producer.tryClaim(TYPE, 100).readFrom(pipe, 50)).isEqualTo(50);
    }
    assertThat(keeping.kept.getFirst().isDirect()).isFalse();
    producer.commit();
    assertThat(Arrays.copyOf(bytesOf(consumer.tryPoll()), 50)).isEqualTo(bytes(50, 50));
  }

  @Test
  void foreignChannel_thatEndsTheClaim_writesToNoMessage() {
    Keeping keeping = new Keeping();
    keeping.inside = producer::commit;
    Message message = producer.tryClaim(TYPE, 100);
    message.putBytes(0, new byte[100], 0, 100);
    Throws.outOfBounds("no message in hand: ...", () -> message.readFrom(keeping, 100));
    assertThat(bytesOf(consumer.tryPoll())).containsOnly(0);
  }

  @Test
  void foreignChannel_getsAtMost64KiBAtATime() throws Exception {
    try (MessageQueue large = MessageQueue.spsc(QueueOptions.ofCapacity(1 << 20))) {
      MessageProducer out = large.newProducer();
      byte[] content = bytes(100_000, 8);
      Message message = out.tryClaim(TYPE, 100_000);
      ReadableByteChannel source = Channels.newChannel(new ByteArrayInputStream(content));
      int count = message.readFrom(source, 100_000);
      assertThat(count).isBetween(1, 1 << 16);
      while (count < 100_000) {
        count += message.readFrom(source, count, 100_000 - count);
      }
      out.commit();
      ByteArrayOutputStream written = new ByteArrayOutputStream();
      Message polled = large.newConsumer().tryPoll();
      assertThat(polled.writeTo(Channels.newChannel(written))).isEqualTo(1 << 16);
      assertThat(polled.writeTo(Channels.newChannel(written), 1 << 16)).isEqualTo(100_000 - 65_536);
      assertThat(written.toByteArray()).isEqualTo(content);
    }
  }

  // ---- ending a transfer ----

  /** What is blocked while the queue is closed. */
  enum Blocked {
    SOCKET_READ,
    SOCKET_WRITE,
    PIPE_READ,
    VIRTUAL_THREAD,
    OWN_MEMORY
  }

  @ParameterizedTest
  @EnumSource
  void close_whileATransferIsBlocked_endsBoth(Blocked blocked) throws Exception {
    Connection connection = connect();
    Pipe pipe = Pipe.open();
    closing(pipe.sink());
    QueueOptions options = QueueOptions.ofCapacity(1 << 12);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(MessageQueue.requiredBytes(1 << 12), 128);
      MessageQueue closed =
          blocked == Blocked.OWN_MEMORY
              ? MessageQueue.mpsc(options, memory)
              : MessageQueue.mpsc(options);
      MessageProducer out = closed.newProducer();
      MessageConsumer in = closed.newConsumer();
      TestCall<?> call =
          switch (blocked) {
            case SOCKET_READ, OWN_MEMORY ->
                awaitSystemCall(
                    TestCall.of(() -> out.tryClaim(TYPE, 100).readFrom(connection.near, 100)));
            case SOCKET_WRITE -> {
              out.tryClaim(TYPE, 1_000);
              out.commit();
              TestCall<Boolean> writes = TestCall.run(() -> writeForEver(in, connection.near));
              TestCall.await(() -> isBlocked(writes.thread()));
              yield writes;
            }
            case PIPE_READ ->
                awaitSystemCall(
                    TestCall.of(() -> out.tryClaim(TYPE, 100).readFrom(pipe.source(), 100)));
            case VIRTUAL_THREAD -> virtually(out, connection.near);
          };

      closed.close();

      assertThat(call.failure())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("message may no longer be used: ")
          .hasMessageContaining("MessageQueue[");
      if (blocked != Blocked.SOCKET_WRITE) { // which may end by a short write
        assertThat(call.failure()).hasCauseInstanceOf(AsynchronousCloseException.class);
      }
      boolean isPipe = blocked == Blocked.PIPE_READ;
      assertThat(isPipe ? pipe.source().isOpen() : connection.near.isOpen()).isFalse();
      assertThat(out.view.memory().scope().isAlive()).isEqualTo(blocked == Blocked.OWN_MEMORY);
    }
  }

  private static void writeForEver(MessageConsumer in, SocketChannel channel) throws IOException {
    Message message = in.tryPoll();
    while (true) {
      int _ = message.writeTo(channel);
    }
  }

  /** A blocked write is in its system call at every check. */
  private static boolean isBlocked(Thread thread) {
    for (int i = 0; i < 20; i++) {
      if (!isInSystemCall(thread)) {
        return false;
      }
      LockSupport.parkNanos(5_000_000);
    }
    return true;
  }

  private static TestCall<Integer> virtually(MessageProducer out, SocketChannel channel) {
    Thread[] thread = new Thread[1];
    int[] count = new int[1];
    Throwable[] thrown = new Throwable[1];
    thread[0] =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    count[0] = out.tryClaim(TYPE, 100).readFrom(channel, 100);
                  } catch (IOException | RuntimeException e) {
                    thrown[0] = e;
                  }
                });
    TestCall.await(() -> TestCall.isResting(thread[0]));
    return TestCall.of(
        () -> {
          thread[0].join();
          if (thrown[0] instanceof RuntimeException e) {
            throw e;
          }
          return count[0];
        });
  }

  @Test
  void close_whileManyTransfersAreBlocked_endsThemAll() throws Exception {
    MessageQueue closed = MessageQueue.mpmc(QueueOptions.ofCapacity(1 << 14));
    List<Connection> connections = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      connections.add(connect());
    }
    List<TestCall<Integer>> calls =
        TestCall.each(
            5,
            i -> {
              MessageProducer out = closed.newProducer();
              SocketChannel source = connections.get(i).near;
              return () -> out.claim(TYPE, 100).readFrom(source, 100);
            });
    for (TestCall<Integer> call : calls) {
      awaitSystemCall(call);
    }
    closed.close();
    for (TestCall<Integer> call : calls) {
      assertThat(call.failure()).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void transfers_afterClose_throwAndLeaveTheChannelOpen() throws Exception {
    FileChannel file = file("file", bytes(100, 9));
    Message claimed = producer.tryClaim(TYPE, 10);
    queue.close();
    Throws.illegalState(CLOSED, () -> claimed.readFrom(file, 10), () -> claimed.writeTo(file));
    assertThat(file.isOpen()).isTrue();
    assertThat(file.position()).isZero();
  }

  @Test
  void queueInAFile_closedWhileAReadIsBlocked_endsBoth() throws Exception {
    Connection connection = connect();
    Path file = folder.resolve("queue");
    QueueOptions options = QueueOptions.ofCapacity(1 << 12);
    MessageQueue shared = MessageQueue.mpsc(options, file);
    MessageProducer out = shared.newProducer();
    out.tryClaim(TYPE, 3).putBytes(0, new byte[] {1, 2, 3}, 0, 3);
    out.commit();
    TestCall<Integer> reads =
        TestCall.of(() -> out.tryClaim(TYPE, 100).readFrom(connection.near, 100));
    awaitSystemCall(reads);
    shared.close();
    assertThat(reads.failure())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("message may no longer be used: ");
    try (MessageQueue again = MessageQueue.mpsc(options, file)) {
      MessageConsumer in = again.newConsumer();
      assertThat(bytesOf(in.tryPoll())).containsExactly(1, 2, 3);
      in.release();
      assertThat(in.tryPoll()).isNull();
    }
  }

  @Test
  void channelClosedByAnotherThread_leavesTheClaimOpen() throws Exception {
    Connection connection = connect();
    Message message = producer.tryClaim(TYPE, 100);
    TestCall<Integer> reads = TestCall.of(() -> message.readFrom(connection.near, 100));
    awaitSystemCall(reads);
    connection.near.close();
    assertThat(reads.failure()).isInstanceOf(AsynchronousCloseException.class);
    message.putInt(0, 5);
    producer.commit(4);
    assertThat(consumer.tryPoll().getInt(0)).isEqualTo(5);
  }

  @Test
  void interrupt_closesTheChannelAndLeavesTheClaimOpen() throws Exception {
    Connection connection = connect();
    Message message = producer.tryClaim(TYPE, 100);
    TestCall<Boolean> reads =
        TestCall.of(
            () -> {
              assertThatThrownBy(() -> message.readFrom(connection.near, 100))
                  .isInstanceOf(ClosedByInterruptException.class);
              return Thread.interrupted();
            });
    awaitSystemCall(reads).thread().interrupt();
    assertThat(reads.result()).as("interrupt status").isTrue();
    producer.abort();
    assertThat(consumer.tryPoll()).isNull();
    assertThat(producer.tryClaim(TYPE, 1)).isNotNull();
  }

  // ---- large memory ----

  /** The memory is a file with a hole, of which few pages are touched. */
  @Test
  void buffer_ofMemoryBeyond2GiB_isOnTheMessage() throws Exception {
    long size = 5L << 30;
    Set<StandardOpenOption> options =
        Set.of(
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.SPARSE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    try (FileChannel sparse = FileChannel.open(folder.resolve("sparse"), options);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = sparse.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
      ChannelBuffer buffer = new ChannelBuffer(memory);
      FileChannel target = file("target", new byte[0]);
      long gib = 1L << 30;
      int count = 1 << 20;
      long[] places = {0, gib - 1, 2 * gib - 9, 2 * gib - count, 3 * gib, 1, size - count};
      for (int i = 0; i < places.length; i++) {
        byte[] content = bytes(8, i);
        MemorySegment.copy(MemorySegment.ofArray(content), 0, memory, places[i], 8);
        assertThat(buffer.write(target.position(0), places[i], count, null)).isEqualTo(count);
        byte[] written = Files.readAllBytes(folder.resolve("target"));
        assertThat(Arrays.copyOf(written, 8)).isEqualTo(content);
      }
    }
  }
}
