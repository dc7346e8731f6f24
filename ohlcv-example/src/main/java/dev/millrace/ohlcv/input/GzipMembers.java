package dev.millrace.ohlcv.input;

import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;

/**
 * What the members of a gzip file hold, one after the other. Zeros behind the last one are padding,
 * as for {@code gzip}; anything else there is an error.
 */
final class GzipMembers extends InputStream {
  private final InputStream packed;
  private InputStream member;

  /**
   * Begins the first member.
   *
   * @param packed supports marks, so that a member's end is its end
   */
  GzipMembers(InputStream packed) throws IOException {
    this.packed = packed;
    this.member = member();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count = member.read(bytes, offset, length);
    while (count < 0 && hasNext()) {
      member = member();
      count = member.read(bytes, offset, length);
    }
    return count;
  }

  @Override
  public void close() throws IOException {
    packed.close();
  }

  private InputStream member() throws IOException {
    return GzipCompressorInputStream.builder().setInputStream(packed).get();
  }

  private boolean hasNext() throws IOException {
    packed.mark(1);
    int next = packed.read();
    if (next > 0) {
      packed.reset();
      return true; // or an error when it is read
    }
    while (next == 0) {
      next = packed.read();
    }
    if (next > 0) {
      throw new IOException("garbage after the zeros at its end");
    }
    return false;
  }
}
