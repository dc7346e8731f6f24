package dev.millrace.simulator.litmus;

import dev.millrace.simulator.Scenario;
import java.util.List;

/** Runs litmus programs; woven, and so each statement is an access of production code's kind. */
public final class Interpreter {
  private Interpreter() {}

  /**
   * Makes a scenario of a program.
   *
   * @param text each thread's statements
   * @return the scenario, whose outcomes are the registers and the variables' values in the end
   */
  public static Scenario of(List<String> text) {
    Program program = Program.parse(text);
    return run -> {
      Variable[] variables = new Variable[Math.max(1, program.variables().size())];
      for (int i = 0; i < variables.length; i++) {
        variables[i] = new Variable();
      }
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
      List<Program.Statement> statements, Variable[] variables, int[] values) {
    for (Program.Statement statement : statements) {
      if (statement.method().equals("unless")) {
        if (values[statement.first()] != statement.second()) {
          return;
        }
        continue;
      }
      Variable variable = variables[Math.max(0, statement.variable())];
      int result = variable.call(statement.method(), statement.first(), statement.second());
      if (statement.register() >= 0) {
        values[statement.register()] = result;
      }
    }
  }
}
