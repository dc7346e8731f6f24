package dev.millrace.bench.ipc;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** A Unix domain socket. Several messages are sent by one write, and as many read as have come. */
final class UnixSocket extends Channel {
  private static final int MOST = 64; // messages by one write or read

  private final ByteBuffer buffer;
  private final ServerSocketChannel server;
  private SocketChannel socket;

  /**
   * @param accepts whether it listens; else it connects
   */
  UnixSocket(Path path, int bytes, boolean accepts) throws IOException {
    super(bytes);
    this.buffer = ByteBuffer.allocateDirect(MOST * bytes).order(ByteOrder.nativeOrder());
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
    if (accepts) {
      server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
    } else {
      server = null;
      socket = SocketChannel.open(address);
    }
  }

  private SocketChannel socket() throws IOException {
    if (socket == null) {
      socket = server.accept();
    }
    return socket;
  }

  @Override
  boolean send(long number) throws IOException {
    return send(number, 1) == 1;
  }

  @Override
  int send(long first, int count) throws IOException {
    buffer.clear();
    for (int message = 0; message < count; message++) {
      for (int i = 0; i < words; i++) {
        buffer.putLong(first + message + i);
      }
    }
    buffer.flip();
    while (buffer.hasRemaining()) {
      socket().write(buffer);
    }
    return count;
  }

  @Override
  int receive(int limit) throws IOException {
    int bytes = words * Long.BYTES;
    buffer.clear().limit(limit * bytes);
    do {
      if (socket().read(buffer) < 0) {
        throw new EOFException("the other process has closed the socket");
      }
    } while (buffer.position() % bytes != 0);
    buffer.flip();
    int received = buffer.limit() / bytes;
    for (int message = 0; message < received; message++) {
      long first = buffer.getLong();
      long sum = first;
      for (int i = 1; i < words; i++) {
        sum += buffer.getLong();
      }
      take(first, sum);
    }
    return received;
  }

  @Override
  public void close() throws IOException {
    if (socket != null) {
      socket.close();
    }
    if (server != null) {
      server.close();
    }
  }
}
