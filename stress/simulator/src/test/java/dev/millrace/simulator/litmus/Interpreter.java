package dev.millrace.simulator.litmus;

import dev.millrace.simulator.Scenario;
import java.util.List;
import java.util.function.IntFunction;

/** Runs litmus programs; woven, and so each statement is an access of production code's kind. */
public final class Interpreter {
  private Interpreter() {}

  /**
   * Makes a scenario of a program whose variables are fields.
   *
   * @param text each thread's statements
   * @return the scenario, whose outcomes are the registers and the variables' values in the end
   */
  public static Scenario of(List<String> text) {
    return of(text, Interpreter::fields);
  }

  /**
   * Makes a scenario of a program whose variables are elements of one array.
   *
   * @param text each thread's statements
   * @return the scenario, whose outcomes are the registers and the variables' values in the end
   */
  public static Scenario ofElements(List<String> text) {
    return of(text, Element::of);
  }

  private static Cell[] fields(int count) {
    Cell[] fields = new Cell[count];
    for (int i = 0; i < count; i++) {
      fields[i] = new Variable();
    }
    return fields;
  }

  private static Scenario of(List<String> text, IntFunction<Cell[]> maker) {
    Program program = Program.parse(text);
    return run -> {
      Cell[] variables = maker.apply(Math.max(1, program.variables().size()));
      int[] values = new int[program.registers() + program.variables().size()];
      for (int i = 0; i < text.size(); i++) {
        List<Program.Statement> statements = program.threads().get(i);
        run.thread("thread " + i, () -> interpret(statements, variables, values));
      }
      run.atEnd(
          () -> {
            for (int i = 0; i < program.variables().size(); i++) {
              values[program.registers() + i] = variables[i].call("getOpaque", 0, 0);
            }
            run.outcome(program.outcome(values));
          });
    };
  }

  private static void interpret(
      List<Program.Statement> statements, Cell[] variables, int[] values) {
    for (Program.Statement statement : statements) {
      if (statement.method().equals("unless")) {
        if (values[statement.first()] != statement.second()) {
          return;
        }
        continue;
      }
      Cell variable = variables[Math.max(0, statement.variable())];
      int result = variable.call(statement.method(), statement.first(), statement.second());
      if (statement.register() >= 0) {
        values[statement.register()] = result;
      }
    }
  }
}
