package dev.millrace.ohlcv.input;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.apache.commons.compress.compressors.CompressorException;
import org.apache.commons.compress.compressors.CompressorStreamFactory;
import org.apache.commons.io.input.BOMInputStream;
import org.apache.commons.io.input.BoundedInputStream;

/**
 * The bytes of a file, of the standard input or of the sample, unpacked if they are gzip; or a log.
 */
public class TradeSource {
  private static final String SAMPLE = "bitstamp_trades_from_20131125_usd.csv";
  private static final Pattern EMPTY_ARRAY = Pattern.compile("\\[\\s*]");
  private static final int BUFFER_BYTES = 1 << 16;

  final String name; // for messages
  final boolean isLive; // its end may be long in coming: standard input, pipes, devices
  final long sizeBytes; // 0 if that is not known
  private final Opener opener;
  private BoundedInputStream raw; // counts; null until it is opened
  private boolean isGzip;
  private String start = ""; // the first text

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
   * A log.
   *
   * @param from the number of a trade or a time from which it is read; null for the beginning
   * @param isFollowed whether its end is waited at for trades to come
   */
  public static TradeSource log(Path directory, String from, boolean isFollowed) {
    return new TradeSource(directory.toString(), isFollowed, 0, null) {
      private LogRows rows;

      @Override
      Rows openRows() throws IOException {
        try {
          rows = new LogRows(directory, from, isFollowed);
          return rows;
        } catch (IOException e) {
          throw explain(e);
        }
      }

      @Override
      boolean isLog() {
        return true;
      }

      @Override
      boolean mayBeEmpty() {
        return TradeLog.isLog(directory);
      }

      @Override
      InputException noRows() {
        rows.checkNumber();
        return new InputException(
            name
                + (from == null
                    ? ": directory must have a log with trades"
                    : ": log must have trades from then on: --from=" + from));
      }
    };
  }

  /** A file. */
  public static TradeSource file(Path path) {
    boolean isLive = Files.exists(path) && !Files.isRegularFile(path);
    long sizeBytes = path.toFile().length();
    return new TradeSource(path.toString(), isLive, sizeBytes, () -> Files.newInputStream(path));
  }

  /** The standard input, or a stream in place of it. */
  public static TradeSource stream(InputStream input) {
    return new TradeSource("stdin", true, 0, () -> input);
  }

  /** The trades that come with the example. */
  public static TradeSource sample() {
    return new TradeSource(SAMPLE, false, 0, TradeSource::openSample);
  }

  /** Their bytes: CSV, with a header. */
  public static InputStream openSample() throws IOException {
    return TradeSource.class.getResource("/" + SAMPLE).openStream();
  }

  /** How much of it was read. */
  long readBytes() {
    return raw == null ? 0 : raw.getCount();
  }

  boolean isLog() {
    return false;
  }

  /** Whether it is in order although it has not even a header, as an array of JSON is. */
  boolean mayBeEmpty() {
    return EMPTY_ARRAY.matcher(start).matches();
  }

  Rows openRows() throws IOException {
    try {
      BufferedInputStream bytes = open();
      bytes.mark(BUFFER_BYTES);
      byte[] read = new byte[BUFFER_BYTES];
      int length = Math.max(bytes.read(read), 0); // of a live input what is there
      bytes.reset();
      start = new String(read, 0, length, StandardCharsets.UTF_8).strip();
      if (start.lines().findFirst().orElse("").indexOf(0) >= 0) {
        throw new InputException(
            name
                + ": file must be UTF-8 text, plain or gzip: its first line has a zero byte, as"
                + " archives and UTF-16 have");
      }
      boolean isJson = start.startsWith("{") || start.startsWith("[");
      if (!isJson && length == BUFFER_BYTES && start.lines().count() == 1) {
        throw new InputException(
            name + ":1: line must have at most " + BUFFER_BYTES + " characters");
      }
      return isJson ? new JsonRows(name, bytes) : new CsvRows(bytes);
    } catch (IOException e) {
      throw explain(e);
    }
  }

  /**
   * Says that there is no row.
   *
   * @throws IllegalArgumentException if an option is at fault, in words of the command line
   */
  InputException noRows() {
    return new InputException(
        name
            + (start.isEmpty()
                ? ": file must have trades: it is empty"
                : ": document must have rows: document="
                    + BadRowException.shown(start, BadRowException.MAX_RULE)));
  }

  /** Turns a failure to read into words. */
  InputException explain(IOException e) {
    if (e instanceof InputException worded) {
      return worded;
    }
    String why =
        switch (e) {
          case EOFException _ -> "gzip data must be whole: it ends too early";
          case NoSuchFileException _ -> "file not found";
          case AccessDeniedException _ -> "file must be readable: access is denied";
          default ->
              (isGzip ? "gzip data must be intact: " : "file must be readable: ") + e.getMessage();
        };
    InputException explained = new InputException(name + ": " + why);
    explained.initCause(e);
    return explained;
  }

  private BufferedInputStream open() throws IOException {
    raw = BoundedInputStream.builder().setInputStream(opener.open()).get();
    InputStream bytes = new BufferedInputStream(raw, BUFFER_BYTES);
    String packing = packing(bytes);
    isGzip = CompressorStreamFactory.GZIP.equals(packing);
    if (packing != null && !isGzip) {
      throw new InputException(name + ": file must be plain or gzip: it is " + packing);
    }
    if (isGzip) {
      bytes = new GzipMembers(bytes);
    }
    return new BufferedInputStream(
        BOMInputStream.builder().setInputStream(bytes).get(), BUFFER_BYTES);
  }

  /** How the bytes are packed; null for plain ones. */
  private static String packing(InputStream bytes) {
    try {
      return CompressorStreamFactory.detect(bytes);
    } catch (CompressorException e) {
      return null; // what cannot be read either shows when it is read
    }
  }
}
