package dev.millrace.ohlcv.input;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.commons.compress.compressors.CompressorException;
import org.apache.commons.compress.compressors.CompressorStreamFactory;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;

/** The bytes of a file, of the standard input or of the sample; unpacked if they are gzip. */
public final class TradeSource {
  private static final String SAMPLE = "bitstamp_trades_from_20131125_usd.csv";
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int MAGIC_BYTES = 4;

  private final String name;
  private final Path path; // null if it is not a file
  private final long sizeBytes;
  private final InputStream standardInput;
  // volatile: counted by the thread that reads, looked at by the progress bar's
  private volatile long readBytes;
  private boolean isGzip;

  private TradeSource(String name, Path path, long sizeBytes, InputStream standardInput) {
    this.name = name;
    this.path = path;
    this.sizeBytes = sizeBytes;
    this.standardInput = standardInput;
  }

  /**
   * A file.
   *
   * @throws InputException if it is not there, or no file
   */
  public static TradeSource file(Path path) throws IOException, InputException {
    if (!Files.exists(path)) {
      throw new InputException(path + ": file must exist: there is none");
    }
    if (Files.isDirectory(path)) {
      throw new InputException(path + ": file must be a file: it is a directory");
    }
    return new TradeSource(path.toString(), path, Files.size(path), null);
  }

  /** The standard input, or a stream in place of it. */
  public static TradeSource stream(InputStream input) {
    return new TradeSource("stdin", null, 0, input);
  }

  /** Whether its end may be long in coming: standard input, pipes, devices. */
  public boolean isLive() {
    return standardInput != null || (path != null && !Files.isRegularFile(path));
  }

  /** The trades that come with the example. */
  public static TradeSource sample() {
    return new TradeSource(SAMPLE, null, 0, null);
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
    return readBytes;
  }

  Rows openRows() throws IOException, InputException {
    try {
      BufferedInputStream bytes = open();
      int first = firstCharacter(bytes);
      return first == '{' || first == '[' ? openJson(bytes) : new CsvRows(name, bytes);
    } catch (IOException e) {
      throw explain(e);
    }
  }

  private Rows openJson(BufferedInputStream bytes) throws IOException, InputException {
    bytes.mark(BUFFER_BYTES);
    byte[] start = new byte[BUFFER_BYTES];
    int length = bytes.read(start);
    bytes.reset();
    Rows rows = new JsonRows(name, bytes);
    if (rows.width() == 0) { // such as an exchange's answer that something was wrong
      String text = new String(start, 0, length, StandardCharsets.UTF_8).strip();
      throw new InputException(
          name + ": document must have rows: document=" + BadRowException.shown(text, 400));
    }
    return rows;
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
    BufferedInputStream raw = new BufferedInputStream(new Counting(rawBytes()), BUFFER_BYTES);
    String packing = packing(raw);
    isGzip = CompressorStreamFactory.GZIP.equals(packing);
    if (packing != null && !isGzip) {
      throw new InputException(name + ": file must be plain or gzip: it is " + packing);
    }
    BufferedInputStream bytes = isGzip ? new BufferedInputStream(unpacked(raw), BUFFER_BYTES) : raw;
    bytes.mark(MAGIC_BYTES);
    if (bytes.read() != 0xef || bytes.read() != 0xbb || bytes.read() != 0xbf) {
      bytes.reset(); // no byte order mark: what was read is text
    }
    return bytes;
  }

  private static InputStream unpacked(InputStream gzip) throws IOException {
    return GzipCompressorInputStream.builder()
        .setInputStream(gzip)
        .setDecompressConcatenated(true)
        .get();
  }

  /** How the bytes are packed; null for plain ones. */
  private static String packing(BufferedInputStream bytes) {
    try {
      return CompressorStreamFactory.detect(bytes);
    } catch (CompressorException e) {
      return null; // what cannot be read either shows when it is read
    }
  }

  private InputStream rawBytes() throws IOException, InputException {
    if (path != null) {
      return Files.newInputStream(path);
    }
    if (standardInput != null) {
      return standardInput;
    }
    InputStream sample = TradeSource.class.getResourceAsStream("/" + SAMPLE);
    if (sample == null) {
      throw new InputException(SAMPLE + ": file must be on the class path: there is none");
    }
    return sample;
  }

  private static int firstCharacter(BufferedInputStream bytes) throws IOException {
    bytes.mark(BUFFER_BYTES);
    int first = bytes.read();
    for (int i = 1; i < BUFFER_BYTES && first >= 0 && first <= ' '; i++) {
      first = bytes.read();
    }
    bytes.reset();
    return first;
  }

  private final class Counting extends FilterInputStream {
    private long count;

    Counting(InputStream input) {
      super(input);
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      add(b < 0 ? 0 : 1);
      return b;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int n = super.read(bytes, offset, length);
      add(Math.max(n, 0));
      return n;
    }

    private void add(int n) {
      count += n;
      readBytes = count;
    }
  }
}
