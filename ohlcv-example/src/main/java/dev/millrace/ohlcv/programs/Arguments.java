package dev.millrace.ohlcv.programs;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The arguments of a program. */
final class Arguments {
  private static final int BAD_USAGE = 2;

  private Arguments() {}

  /** Ends the program with a sentence of usage, unless it has exactly these arguments. */
  static void require(Class<?> program, String[] arguments, String... names) {
    if (arguments.length != names.length) {
      String takes =
          names.length == 0 ? " takes no arguments" : " takes " + String.join(" ", names);
      String given = arguments.length == 0 ? "" : ": " + String.join(" ", arguments);
      end(program.getSimpleName() + takes + given);
    }
  }

  /** Opens a file to write; ends the program with a sentence if that cannot be. */
  static OutputStream create(Class<?> program, Path file) {
    try {
      return new BufferedOutputStream(Files.newOutputStream(file));
    } catch (IOException e) {
      end(program.getSimpleName() + ": FILE must be a file that can be written: " + file);
      throw new AssertionError(e);
    }
  }

  private static void end(String sentence) {
    System.err.println(sentence);
    System.exit(BAD_USAGE);
  }
}
