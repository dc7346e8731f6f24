package dev.millrace.bench.ipc;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.MessageQueue;
import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;

/** The channels of one process, or of one thread of two in a process. */
final class Ends implements Closeable {
  /** How many bytes a queue holds. */
  private static final int CAPACITY = 1 << 20;

  private static final Duration STALL_LIMIT = Duration.ofSeconds(1);

  private final IpcContender contender;
  private final Path folder;
  private final int bytes;
  private final boolean isFirst;
  private final Map<String, MessageQueue> inProcess;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private Aeron aeron;

  /**
   * Prepares a process.
   *
   * @param isFirst whether the other process waits until this one has opened its ends
   * @param inProcess the queues of both threads, if there is but one process
   */
  Ends(
      IpcContender contender,
      Path folder,
      int bytes,
      boolean isFirst,
      Map<String, MessageQueue> inProcess) {
    this.contender = contender;
    this.folder = folder;
    this.bytes = bytes;
    this.isFirst = isFirst;
    this.inProcess = inProcess;
  }

  /** Queues that two threads of a process share. */
  static Map<String, MessageQueue> inProcess() {
    return new ConcurrentHashMap<>();
  }

  /** Opens one end of a channel that has a name of letters. */
  Channel open(String name, boolean sends) throws IOException {
    Path path = folder.resolve(name);
    Channel channel =
        switch (contender) {
          case MILLRACE ->
              new MillraceChannel(
                  MessageQueue.spsc(QueueOptions.ofCapacity(CAPACITY), path), bytes, sends);
          case MILLRACE_MANY ->
              new MillraceChannel(
                  MessageQueue.mpsc(QueueOptions.ofCapacity(CAPACITY), path), bytes, sends);
          case MILLRACE_IN_PROCESS ->
              new MillraceChannel(
                  inProcess.computeIfAbsent(
                      name,
                      _ ->
                          MessageQueue.mpsc(
                              QueueOptions.ofCapacity(CAPACITY).withStallLimit(STALL_LIMIT))),
                  bytes,
                  sends);
          case AGRONA -> new AgronaChannel(path, OneToOneRingBuffer::new, CAPACITY, bytes);
          case AGRONA_MANY -> new AgronaChannel(path, ManyToOneRingBuffer::new, CAPACITY, bytes);
          case AERON -> new AeronChannel(aeron(), name.hashCode(), bytes, sends);
          case CHRONICLE -> new ChronicleChannel(path, bytes, sends);
          case SOCKET -> new UnixSocket(path, bytes, isFirst);
        };
    opened.add(channel);
    return channel;
  }

  /** The first process has the driver in it. */
  private Aeron aeron() {
    if (aeron == null) {
      String directory = folder.resolve("driver").toString();
      if (isFirst) {
        opened.add(
            MediaDriver.launch(
                new MediaDriver.Context()
                    .aeronDirectoryName(directory)
                    .threadingMode(ThreadingMode.SHARED)
                    .ipcTermBufferLength(CAPACITY)
                    .dirDeleteOnStart(true)));
      }
      aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(directory));
      opened.add(aeron);
    }
    return aeron;
  }

  @Override
  public void close() throws IOException {
    try {
      for (AutoCloseable one : opened.reversed()) {
        one.close();
      }
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
