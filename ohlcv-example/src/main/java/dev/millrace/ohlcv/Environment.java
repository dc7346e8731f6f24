package dev.millrace.ohlcv;

import dev.millrace.ohlcv.output.OutputTarget;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * What the program finds around it.
 *
 * @param in the standard input
 * @param out the standard output
 * @param err for messages
 * @param outRows how many lines the terminal has that the output goes to; 0 if it is none
 * @param outColumns how wide the terminal is that the output goes to; 0 if it is none
 * @param errColumns how wide the terminal is that messages go to; 0 if it is none
 * @param colored whether a terminal may be written to in colours
 */
record Environment(
    InputStream in,
    Supplier<OutputTarget> out,
    PrintWriter err,
    int outRows,
    int outColumns,
    int errColumns,
    boolean colored) {
  /** That of the process. Of terminals the script tells, for the JDK does not know their width. */
  static Environment ofProcess() {
    return new Environment(
        System.in,
        OutputTarget::standard,
        new PrintWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8), true),
        Integer.getInteger("ohlcv.out.rows", 0),
        Integer.getInteger("ohlcv.out.columns", 0),
        Integer.getInteger("ohlcv.err.columns", 0),
        System.getenv("NO_COLOR") == null);
  }
}
