package dev.millrace.stress.scenario;

import dev.millrace.simulator.Exploration;
import dev.millrace.simulator.Explorer;
import dev.millrace.simulator.Scenario;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.WovenLoader;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;

/** Trial. */
public final class Trial {
  public static void main(String[] args) throws Exception {
    WovenLoader loader =
        new WovenLoader(
            Trial.class.getClassLoader(),
            List.of(
                "dev.millrace.core.",
                "dev.millrace.flyweight.",
                "dev.millrace.queues.",
                "dev.millrace.stress.scenario.",
                "dev.millrace.simulator.litmus."));
    Class<?> type = loader.loadClass(args[0]);
    for (Method method : type.getDeclaredMethods()) {
      if (method.getParameterCount() == 1
          && method.getParameterTypes()[0] == Simulation.class
          && (args.length < 3 || method.getName().equals(args[2]))) {
        java.lang.invoke.MethodHandle handle =
            java.lang.invoke.MethodHandles.publicLookup().unreflect(method);
        Scenario scenario =
            run -> {
              try {
                handle.invokeExact(run);
              } catch (Throwable e) {
                throw new IllegalStateException(e);
              }
            };
        long n = Long.parseLong(args[1]);
        for (int i = 0; i < 1; i++) {
          Exploration e = new Explorer(scenario).random(n, Duration.ofSeconds(60), 1);
          System.out.printf(
              "%s random: %d in %.2f s (%.0f/s) %s %s%n",
              method.getName(),
              e.executions(),
              e.seconds(),
              e.executions() / e.seconds(),
              e.outcomes(),
              e.failure());
          if (e.failure() != null) {
            e.failure().cause().printStackTrace(System.out);
            break;
          }
        }
        Exploration x = new Explorer(scenario).exhaustive(2, 2, Duration.ofSeconds(5));
        System.out.printf(
            "%s %s: %d in %.2f s complete=%s %s %s%n",
            method.getName(),
            x.mode(),
            x.executions(),
            x.seconds(),
            x.complete(),
            x.outcomes(),
            x.failure());
      }
    }
  }
}
