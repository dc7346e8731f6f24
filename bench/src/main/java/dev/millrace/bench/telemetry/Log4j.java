package dev.millrace.bench.telemetry;

import static org.apache.logging.log4j.util.Unbox.box;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.async.AsyncLogger;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;

/**
 * Log4j 2 with all loggers asynchronous, into a file, numbers without boxing. Its context selector
 * is chosen by a property of the JVM.
 */
final class Log4j implements Recorder {
  private final Logger logger;

  Log4j() {
    ConfigurationBuilder<BuiltConfiguration> builder =
        ConfigurationBuilderFactory.newConfigurationBuilder();
    builder.add(
        builder
            .newAppender("file", "RandomAccessFile")
            .addAttribute("fileName", file().toString())
            .addAttribute("immediateFlush", false)
            .add(
                builder
                    .newLayout("PatternLayout")
                    .addAttribute("pattern", "%d{UNIX_MILLIS} %m%n")));
    builder.add(builder.newRootLogger(Level.INFO).add(builder.newAppenderRef("file")));
    Configurator.reconfigure(builder.build());
    logger = LogManager.getLogger("benchmark");
    if (!(logger instanceof AsyncLogger)) {
      throw new IllegalStateException(
          "loggers must be asynchronous, see log4j2.contextSelector: logger=" + logger.getClass());
    }
  }

  private static Path file() {
    try {
      Path file = Files.createTempFile("millrace", ".log");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void record(long number) {
    logger.info("{} {} {}", box(number), box(number + 1), box(number + 2));
  }

  @Override
  public void close() {
    LogManager.shutdown();
  }
}
