import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageCursor;
import dev.millrace.queues.messages.MessageObserver;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The examples in this package's documentation. The build runs every line of them. */
final class Examples {
  private static final int LOGIN = 1;
  private static final int LOGOUT = 2;

  private final List<String> handled = new ArrayList<>();

  private void handle(int type, long first) {
    handled.add(type + ":" + first);
  }

  void messages() throws InterruptedException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment packet = arena.allocateFrom(ValueLayout.JAVA_LONG, 7);
      // @start region="messages"
      MessageQueue queue = MessageQueue.mpsc(QueueOptions.ofCapacity(1 << 20)); // bytes

      // each producer's thread
      MessageProducer out = queue.newProducer();
      out.claim(LOGIN, (int) packet.byteSize()).putBytes(0, packet);
      out.commit();

      // any thread, once all producers are done
      queue.complete();

      // the consumer's thread; returns once every message is consumed
      queue.newConsumer().forEach(message -> handle(message.type(), message.getLong(0)));
      // @end
      assert handled.equals(List.of("1:7")) : handled;
      queue.close();
    }
  }

  void message() {
    MessageQueue queue = MessageQueue.mpsc(QueueOptions.ofCapacity(1 << 10));
    MessageProducer out = queue.newProducer();
    String name = "Ada";
    // @start region="message"
    Message message = out.tryClaim(LOGIN, 8 + Message.utf8Length(name)); // null when full
    message.putLong(0, 7).putUtf8(8, name);
    out.commit();
    // @end
    Message login = queue.newConsumer().tryPoll();
    assert login.type() == LOGIN && login.getLong(0) == 7 && login.getUtf8(8).equals("Ada");
    queue.close();
  }

  void run() {
    MessageQueue queue = MessageQueue.mpsc(QueueOptions.ofCapacity(1 << 10));
    MessageProducer out = queue.newProducer();
    long[] ids = {7, 8, 9};
    // @start region="message-run"
    int count = out.tryClaim(LOGIN, 8, ids.length); // 0 when full, or fewer than wanted
    for (int i = 0; i < count; i++) {
      out.at(i).putLong(0, ids[i]);
    }
    if (count > 0) {
      out.commit();
    }
    // @end
    MessageConsumer consumer = queue.newConsumer();
    assert consumer.tryPoll(10) == 3 && consumer.at(2).getLong(0) == 9;
    queue.close();
  }

  void next() throws InterruptedException {
    MessageQueue queue = MessageQueue.mpsc(QueueOptions.ofCapacity(1 << 10));
    MessageProducer out = queue.newProducer();
    String name = "Ada";
    // @start region="message-next"
    int length = 8 + Message.utf8Length(name);
    out.claim(LOGOUT, MessageQueue.CELL_BYTES + length).putLong(0, 6); // room for both
    out.next(8, LOGIN, length).putLong(0, 7).putUtf8(8, name);
    out.commit(length);
    // @end
    MessageConsumer consumer = queue.newConsumer();
    Message message = consumer.tryPoll();
    assert message.type() == LOGOUT && message.getLong(0) == 6;
    consumer.release();
    assert consumer.tryPoll() == message && message.type() == LOGIN;
    assert message.getLong(0) == 7 && message.getUtf8(8).equals("Ada");
    queue.close();
  }

  void cursor() {
    MessageQueue queue = MessageQueue.mpsc(QueueOptions.ofCapacity(1 << 10));
    MessageProducer out = queue.newProducer();
    // @start region="message-cursor"
    Message message = out.tryClaim(LOGIN, 256); // more than it takes
    MessageCursor cursor = message.cursor().putLong(7).putUtf8("Ada").putUtf8("London");
    out.commit(cursor.position());
    // @end
    MessageCursor read = queue.newConsumer().tryPoll().cursor();
    assert read.getLong() == 7 && read.getUtf8().equals("Ada") && read.getUtf8().equals("London");
    queue.close();
  }

  void observer() throws IOException {
    Path folder = Files.createTempDirectory("queue");
    Path path = folder.resolve("orders.queue");
    MessageQueue queue = MessageQueue.spsc(QueueOptions.ofCapacity(1 << 10), path);
    MessageProducer out = queue.newProducer();
    out.tryClaim(LOGIN, 8).putLong(0, 7);
    out.commit();
    // @start region="observer"
    try (MessageObserver observer = MessageObserver.open(path)) {
      for (Message message = observer.tryPoll(); message != null; message = observer.tryPoll()) {
        handle(message.type(), message.getLong(0));
      }
    }
    // @end
    assert handled.getLast().equals("1:7") && queue.sizeEstimate() == 1;
    queue.close();
    Files.delete(path);
    Files.delete(folder);
  }

  void channels() throws IOException, InterruptedException {
    MessageQueue queue = MessageQueue.spsc(QueueOptions.ofCapacity(1 << 10));
    Pipe source = Pipe.open();
    Pipe target = Pipe.open();
    source.sink().write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    source.sink().close();
    MessageProducer out = queue.newProducer();
    receive(out, source.source());
    receive(out, source.source()); // nothing
    send(queue.newConsumer(), target.sink());
    ByteBuffer sent = ByteBuffer.allocate(10);
    int count = target.source().read(sent);
    assert count == 3 && sent.get(2) == 3 : count;
    source.source().close();
    target.sink().close();
    target.source().close();
    queue.close();
  }

  private static void receive(MessageProducer out, ReadableByteChannel channel)
      throws IOException, InterruptedException {
    // @start region="message-read"
    Message message = out.claim(LOGIN, 512); // more than it takes
    int length = message.readFrom(channel, message.length()); // waits, unless non-blocking
    if (length > 0) {
      out.commit(length);
    } else {
      out.abort(); // the end, or nothing at the moment
    }
    // @end
  }

  private static void send(MessageConsumer in, WritableByteChannel channel)
      throws IOException, InterruptedException {
    // @start region="message-write"
    Message message = in.poll();
    for (int at = 0; at < message.length(); ) {
      at += message.writeTo(channel, at);
    }
    in.release();
    // @end
  }
}
