package dev.millrace.bench.channels;

import dev.millrace.bench.UsualBenchmark;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A message that is read from a channel into a {@link MessageQueue}, polled and written to a file,
 * all in one thread: in place, and copied by the user. The files are in the page cache, so the time
 * is that of system calls and copies. From a socket, it includes the write to the socket.
 *
 * <pre>java -jar bench/target/benchmarks.jar ChannelBenchmark -prof gc</pre>
 */
@State(Scope.Thread)
public class ChannelBenchmark extends UsualBenchmark {
  private static final long FILE_BYTES = 1 << 26;

  @Param private Way way;

  @Param({"256", "4096", "65536"})
  private int length;

  private Path folder;
  private MessageQueue queue;
  private MessageProducer producer;
  private MessageConsumer consumer;
  private Way.Space space;
  private FileChannel file;
  private FileChannel target;
  private SocketChannel near;
  private SocketChannel far;
  private ByteBuffer sent;

  /** Makes the files, the connection and the queue. */
  @Setup
  public void setUp() throws IOException {
    folder = Files.createTempDirectory("channels");
    file = open("source");
    target = open("target");
    sent = ByteBuffer.allocateDirect(length);
    while (file.size() < FILE_BYTES) {
      file.write(sent.clear());
    }
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ServerSocketChannel server = ServerSocketChannel.open().bind(any)) {
      near = SocketChannel.open(server.getLocalAddress());
      far = server.accept();
    }
    queue = MessageQueue.spsc(QueueOptions.ofCapacity(1 << 20));
    producer = queue.newProducer();
    consumer = queue.newConsumer();
    space = new Way.Space(length);
  }

  private FileChannel open(String name) throws IOException {
    return FileChannel.open(
        folder.resolve(name),
        StandardOpenOption.CREATE_NEW,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  /** Closes and deletes all of it. */
  @TearDown
  public void tearDown() throws IOException {
    queue.close();
    near.close();
    far.close();
    for (FileChannel channel : new FileChannel[] {file, target}) {
      channel.close();
    }
    Files.delete(folder.resolve("source"));
    Files.delete(folder.resolve("target"));
    Files.delete(folder);
  }

  /** From a file to a file. */
  @Benchmark
  public void fileToFile() throws IOException {
    if (forward(file) < length) {
      file.position(0);
    }
  }

  /** From a TCP socket to a file. */
  @Benchmark
  public void socketToFile() throws IOException {
    sent.clear();
    while (sent.hasRemaining()) {
      near.write(sent);
    }
    for (int left = length; left > 0; ) {
      left -= forward(far);
    }
  }

  private int forward(ReadableByteChannel source) throws IOException {
    Message claimed = producer.tryClaim(1, length);
    int count = way.read(source, claimed, space);
    producer.commit(Math.max(count, 0));
    way.write(consumer.tryPoll(), target, space);
    consumer.release();
    if (target.position() >= FILE_BYTES) {
      target.position(0);
    }
    return count;
  }
}
