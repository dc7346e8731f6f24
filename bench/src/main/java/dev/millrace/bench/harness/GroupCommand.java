package dev.millrace.bench.harness;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command of several parts, each a command itself; without a name it runs all of them. */
@Command(mixinStandardHelpOptions = true)
public abstract class GroupCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Runs all parts, each as if it were called by name, and returns the worst of their codes. */
  @Override
  public final Integer call() {
    List<String> names = new ArrayList<>(Arrays.asList(spec.qualifiedName(" ").split(" ")));
    names.removeFirst(); // the root's
    int worst = 0;
    for (String part : spec.subcommands().keySet()) {
      List<String> arguments = new ArrayList<>(names);
      arguments.add(part);
      int code = spec.root().commandLine().execute(arguments.toArray(String[]::new));
      worst = Math.max(worst, code);
    }
    return worst;
  }
}
