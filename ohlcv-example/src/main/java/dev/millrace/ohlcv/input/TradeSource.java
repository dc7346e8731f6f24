package dev.millrace.ohlcv.input;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.commons.compress.compressors.CompressorException;
import org.apache.commons.compress.compressors.CompressorStreamFactory;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.io.input.BoundedInputStream;

/** The bytes of a file, of the standard input or of the sample; unpacked if they are gzip. */
public final class TradeSource {
  private static final String SAMPLE = "bitstamp_trades_from_20131125_usd.csv";
  private static final int BUFFER_BYTES = 1 << 16;
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  private final String name;
  private final boolean isLive;
  private final long sizeBytes;
  private final Opener opener;
  private BoundedInputStream raw; // counts; null until it is opened
  private boolean isGzip;

  private interface Opener {
    InputStream open() throws IOException;
  }

  private TradeSource(String name, boolean isLive, long sizeBytes, Opener opener) {
    this.name = name;
    this.isLive = isLive;
    this.sizeBytes = sizeBytes;
    this.opener = opener;
  }

  /**
   * A file.
   *
   * @throws InputException if it is not there, or no file
   */
  public static TradeSource file(Path path) throws InputException {
    if (!Files.exists(path)) {
      throw new InputException(path + ": file must exist: there is none");
    }
    if (Files.isDirectory(path)) {
      throw new InputException(path + ": file must be a file: it is a directory");
    }
    long sizeBytes = path.toFile().length();
    boolean isLive = !Files.isRegularFile(path);
    return new TradeSource(path.toString(), isLive, sizeBytes, () -> Files.newInputStream(path));
  }

  /** The standard input, or a stream in place of it. */
  public static TradeSource stream(InputStream input) {
    return new TradeSource("stdin", true, 0, () -> input);
  }

  /** The trades that come with the example. */
  public static TradeSource sample() {
    return new TradeSource(
        SAMPLE, false, 0, () -> TradeSource.class.getResource("/" + SAMPLE).openStream());
  }

  /** Whether its end may be long in coming: standard input, pipes, devices. */
  public boolean isLive() {
    return isLive;
  }

  /** What to call it in messages. */
  public String name() {
    return name;
  }

  /** How large it is, or 0 if that is not known. */
  public long sizeBytes() {
    return sizeBytes;
  }

  /** How much of it was read. */
  public long readBytes() {
    return raw == null ? 0 : raw.getCount();
  }

  Rows openRows() throws IOException, InputException {
    try {
      BufferedInputStream bytes = open();
      bytes.mark(BUFFER_BYTES);
      byte[] start = new byte[BUFFER_BYTES];
      int length = Math.max(bytes.read(start), 0); // of a live input what is there
      bytes.reset();
      String text = new String(start, 0, length, StandardCharsets.UTF_8).strip();
      if (text.lines().findFirst().orElse("").indexOf(0) >= 0) {
        throw new InputException(
            name
                + ": file must be UTF-8 text, plain or gzip: its first line has a zero byte, as"
                + " archives and UTF-16 have");
      }
      boolean isJson = text.startsWith("{") || text.startsWith("[");
      Rows rows = isJson ? new JsonRows(name, bytes) : new CsvRows(name, bytes);
      rows.readHeader();
      if (rows.width() == 0) { // JSON: such as an exchange's answer that something was wrong
        throw new InputException(
            name
                + (text.isEmpty()
                    ? ": file must have trades: it is empty"
                    : ": document must have rows: document="
                        + BadRowException.shown(text, BadRowException.MAX_RULE)));
      }
      return rows;
    } catch (IOException e) {
      throw explain(e);
    }
  }

  /** Turns a failure to read into words. */
  InputException explain(IOException e) {
    String why =
        switch (e) {
          case EOFException eof -> "gzip data must be whole: it ends too early";
          case NoSuchFileException gone -> "file must exist: there is none";
          case AccessDeniedException denied -> "file must be readable: access is denied";
          case FileNotFoundException gone -> "file must be readable: " + gone.getMessage();
          case CharacterCodingException coding -> "file must be UTF-8 text";
          default ->
              (isGzip ? "gzip data must be intact: " : "file must be readable: ") + e.getMessage();
        };
    InputException explained = new InputException(name + ": " + why);
    explained.initCause(e);
    return explained;
  }

  private BufferedInputStream open() throws IOException, InputException {
    raw = BoundedInputStream.builder().setInputStream(opener.open()).get();
    BufferedInputStream bytes = new BufferedInputStream(raw, BUFFER_BYTES);
    String packing = packing(bytes);
    isGzip = CompressorStreamFactory.GZIP.equals(packing);
    if (packing != null && !isGzip) {
      throw new InputException(name + ": file must be plain or gzip: it is " + packing);
    }
    if (isGzip) {
      bytes =
          new BufferedInputStream(
              GzipCompressorInputStream.builder()
                  .setInputStream(bytes)
                  .setDecompressConcatenated(true)
                  .get(),
              BUFFER_BYTES);
    }
    bytes.mark(BYTE_ORDER_MARK.length);
    if (!Arrays.equals(bytes.readNBytes(BYTE_ORDER_MARK.length), BYTE_ORDER_MARK)) {
      bytes.reset(); // what was read is text
    }
    return bytes;
  }

  /** How the bytes are packed; null for plain ones. */
  private static String packing(BufferedInputStream bytes) {
    try {
      return CompressorStreamFactory.detect(bytes);
    } catch (CompressorException e) {
      return null; // what cannot be read either shows when it is read
    }
  }
}
