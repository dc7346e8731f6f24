package dev.millrace.simulator.litmus;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A litmus program, read from its text: each thread's statements, of shared variables {@code a} to
 * {@code z}, which are 0 at first, and registers {@code r0} to {@code r9}.
 *
 * <pre>{@code
 * x.set(1); y.setRelease(1) || r0 = y.getAcquire(); unless(r0, 1); r1 = x.get()
 * }</pre>
 *
 * <p>{@code unless(r0, 1)} ends its thread unless the register has that value.
 *
 * @param threads the statements
 * @param variables the variables' names
 * @param registers how many registers there are
 */
public record Program(List<List<Statement>> threads, List<String> variables, int registers) {
  private static final Pattern STATEMENT =
      Pattern.compile("(?:r(\\d) = )?(?:([a-z])\\.)?(\\w+)\\((?:r?(\\d+)(?:, (\\d+))?)?\\)");

  /**
   * A call of an access method, of a fence, or {@code unless}.
   *
   * @param register where its result goes, or -1
   * @param variable the variable's index, or -1 if it has none
   * @param method the method's name, as that of {@link java.lang.invoke.VarHandle}
   * @param first its first argument; of {@code unless} the register
   * @param second its second
   */
  public record Statement(int register, int variable, String method, int first, int second) {}

  /**
   * Splits a program.
   *
   * @param text the threads, with double bars between
   * @return each thread's statements
   */
  public static List<String> split(String text) {
    return List.of(text.strip().split(" *\\|\\| *"));
  }

  /**
   * Reads a program.
   *
   * @param text each thread's statements, separated by semicolons
   * @return the program
   */
  public static Program parse(List<String> text) {
    List<List<Statement>> threads = new ArrayList<>();
    List<String> variables = new ArrayList<>();
    int registers = 0;
    for (String thread : text) {
      List<Statement> statements = new ArrayList<>();
      for (String statement : thread.split("; ", -1)) {
        Matcher matcher = STATEMENT.matcher(statement);
        if (!matcher.matches()) {
          throw new IllegalArgumentException("statement must be a call: statement=" + statement);
        }
        String variable = matcher.group(2);
        if (variable != null && !variables.contains(variable)) {
          variables.add(variable);
        }
        int register = number(matcher.group(1), -1);
        registers = Math.max(registers, register + 1);
        statements.add(
            new Statement(
                register,
                variables.indexOf(variable),
                matcher.group(3),
                number(matcher.group(4), 0),
                number(matcher.group(5), 0)));
      }
      threads.add(List.copyOf(statements));
    }
    return new Program(List.copyOf(threads), List.copyOf(variables), registers);
  }

  private static int number(String digits, int otherwise) {
    return digits == null ? otherwise : Integer.parseInt(digits);
  }

  /**
   * Writes an outcome down.
   *
   * @param values the registers', then the variables' in the end
   * @return such as {@code r0=1 r1=0 x=1 y=1}
   */
  public String outcome(int[] values) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      text.append(i == 0 ? "" : " ")
          .append(i < registers ? "r" + i : variables.get(i - registers))
          .append('=')
          .append(values[i]);
    }
    return text.toString();
  }
}
