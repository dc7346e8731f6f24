package dev.millrace.bench.articles;

import dev.millrace.bench.articles.ArticleLog.Step;
import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Jvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** What {@link LogCommand} compares. */
enum LogContender {
  MILLRACE,
  CHRONICLE,
  /** The article's first version, then the same with one of its steps each. */
  ARTICLE_HEAP,
  ARTICLE_HEADER_SLAB(Step.HEADER_SLAB),
  ARTICLE_FLAT_INDEX(Step.FLAT_INDEX),
  ARTICLE_SHARED_LENGTH(Step.SHARED_LENGTH),
  ARTICLE_CALLERS_BUFFER(Step.CALLERS_BUFFER),
  /** Its last version. */
  ARTICLE_OFF_HEAP(ArticleLog.LAST.toArray(Step[]::new)),
  /** One write for each message. */
  FILE,
  /** One write for several messages. */
  FILE_GATHERED,
  /** As fast as it goes: large writes, or one for a batch, to a file that has its length. */
  DISK,
  /** The same with as many bytes a message as ours writes. */
  DISK_AS_MANY_BYTES;

  private static final int GATHERED = 64;
  private static final int OURS_BYTES = 32 + Partition.BYTES; // of a message, with its header

  @SuppressWarnings("ImmutableEnumChecker") // nor can a set of Set.of change
  private final Set<Step> steps;

  LogContender(Step... steps) {
    this.steps = Set.of(steps);
  }

  /**
   * Makes a log.
   *
   * @param batch how many messages will be forced together
   * @param count how many there will be
   */
  Partition open(Path path, long segmentBytes, int batch, long count) throws IOException {
    return switch (this) {
      case MILLRACE -> new MillraceLog(path, segmentBytes);
      case CHRONICLE -> new ChronicleLog(path);
      case ARTICLE_HEAP,
          ARTICLE_HEADER_SLAB,
          ARTICLE_FLAT_INDEX,
          ARTICLE_SHARED_LENGTH,
          ARTICLE_CALLERS_BUFFER,
          ARTICLE_OFF_HEAP ->
          new ArticleLog(path, Math.min(segmentBytes, ArticleLog.SEGMENT_BYTES), steps);
      case FILE -> new FileLog(path, Partition.BYTES, 1, 0);
      case FILE_GATHERED -> new FileLog(path, Partition.BYTES, GATHERED, 0);
      case DISK -> new FileLog(path, Partition.BYTES, batch, count);
      case DISK_AS_MANY_BYTES -> new FileLog(path, OURS_BYTES, batch, count);
    };
  }

  /** Whether it shows what the disk allows, and is not read. */
  boolean isDisk() {
    return this == DISK || this == DISK_AS_MANY_BYTES;
  }

  /** The options of its JVM, beside those of all. */
  List<String> flags() {
    return this == CHRONICLE
        ? Stream.concat(Jvm.DEFAULT.flags().stream(), Child.CHRONICLE_FLAGS.stream()).toList()
        : Jvm.DEFAULT.flags();
  }

  /** Its name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
