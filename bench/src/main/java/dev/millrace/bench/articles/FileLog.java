package dev.millrace.bench.articles;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file and nothing else: no numbers, no index, no checksums. What the system takes for it. */
final class FileLog implements Partition {
  private static final int PREPARED_BYTES = 1 << 20; // at a time

  private final FileChannel file;
  private final int messageBytes;
  private final ByteBuffer gathered;
  private final ByteBuffer read = ByteBuffer.allocateDirect(BYTES);
  private long written;

  /**
   * Makes a log.
   *
   * @param messageBytes what a message takes, with whatever fills it up behind its own
   * @param most how many messages are gathered for one write
   * @param prepared how many messages the file has room for already, so that a force has only data
   *     to write, not the file's length
   */
  FileLog(Path path, int messageBytes, int most, long prepared) throws IOException {
    this.messageBytes = messageBytes;
    gathered = ByteBuffer.allocateDirect(most * messageBytes);
    file =
        FileChannel.open(
            path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    ByteBuffer zeros = ByteBuffer.allocateDirect(PREPARED_BYTES);
    for (long left = prepared * messageBytes; left > 0; left -= zeros.clear().capacity()) {
      file.write(zeros.limit((int) Math.min(left, PREPARED_BYTES)));
    }
    file.force(true);
  }

  @Override
  public void append(long first, long second) throws IOException {
    int end = gathered.position() + messageBytes;
    gathered.putLong(first).putLong(second).position(end);
    if (!gathered.hasRemaining()) {
      flush();
    }
  }

  @Override
  public void flush() throws IOException {
    gathered.flip();
    while (gathered.hasRemaining()) {
      written += file.write(gathered, written);
    }
    gathered.clear();
  }

  @Override
  public void force() throws IOException {
    flush();
    file.force(false);
  }

  @Override
  public long read(long number) throws IOException {
    file.read(read.clear(), number * messageBytes);
    return Partition.fold(read.getLong(0), read.getLong(8));
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
